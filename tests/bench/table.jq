# From {"NAME": [what each run of it printed]} to the rows of a Markdown table.
def fix(digits): if type != "number" then "-" else
  (. * pow(10; digits) | round) / pow(10; digits) | tostring end;
def row(what; ours; beside; ratio): "| \(what) | \(ours) | \(beside) | \(ratio) |";
def us: "\(.p50 | fix(2)) / \(.p99 | fix(2)) / \(.max | fix(1)) us";

def decode_rows: .cases[] | row(
  "decode \(.case | gsub("_"; " ")), blocks against one JPEG, 1 thread";
  "\(.blocks_mpixel_s | fix(0)) Mpx/s"; "\(.turbojpeg_mpixel_s | fix(0)) Mpx/s"; .ratio_1_thread | fix(3)),
  row("- with 2 threads"; "-"; "-"; .speedup_2_threads | fix(2)),
  row("- bezels hidden"; "-"; "-"; .hidden_bezels_ratio | fix(3)),
  row("- bytes read / bytes seen; bezels hidden"; .read_amplification | fix(3);
      .hidden_bezels_read_amplification | fix(3); "-");
def disk_rows: row("disk, best pattern"; "\(.best_gbyte_s | fix(2)) GB/s"; "-"; "-"),
  row("- a panel's frames from the disk, read ahead, against cached"; "\(.panel.read_ahead_fps | fix(1)) fps";
      "\(.panel.cached_fps | fix(1)) fps"; .panel.read_ahead_fps / .panel.cached_fps | fix(3));
def import_rows: row("import, against its stages alone"; "\(.import_fps | fix(1)) fps"; "\(.limit_fps | fix(1)) fps";
  .ratio_to_limit | fix(3));
def movie_rows: row("ordinary movie on 15 panels, against one decode"; "\(.wall_fps | fix(1)) fps";
  "\(.decode_fps | fix(1)) fps"; .ratio_to_decode | fix(3));
def net_rows: (.rows[] | row("slabs over loopback by \(.transport), \(.streams) streams, \(.seal // "every byte checked"), against \(
    if .ratio_to_plain then "a checksum" else "iperf3 (UDP: at 1e-4 lost)" end)";
  "\(.goodput_gbit_s | fix(1)) Gbit/s, \(.loss | fix(5)) lost"; if .peer then "\(.peer.goodput_gbit_s | fix(1)) Gbit/s" else "-" end;
  .ratio_to_plain // .ratio_to_peer | fix(2)),
  (select(.nuttcp) | row("- against nuttcp"; "-"; "\(.nuttcp.goodput_gbit_s | fix(1)) Gbit/s"; .ratio_to_nuttcp | fix(2)))),
  (.disk[]? | row("- a movie's frames, \(.cache), by UDP, checked, against the lesser of disk and net alone"; "\(.goodput_gbit_s | fix(1)) Gbit/s\(
    if .wrong_slabs > 0 then ", \(.wrong_slabs) WRONG" else "" end)";
    "\(.disk_gbit_s | fix(1)), \(.net_gbit_s | fix(1)) Gbit/s"; .ratio_to_lesser | fix(2))),
  (select(.control) | .control | row("- a question under full load, against idle, p50 / p99"; "\(.loaded_us.p50 | fix(0)) / \(.loaded_us.p99 | fix(0)) us";
    "\(.idle_us.p50 | fix(0)) / \(.idle_us.p99 | fix(0)) us"; .loaded_us.p99 / .idle_us.p99 | fix(2)));
def netsoak_rows: row("slabs over loopback for \(.minutes) min, each checked; memory, the steeper side"; "\(.goodput_gbit_s | fix(1)) Gbit/s, \(.wrong_slabs) of \(.slabs) wrong";
  "\(.worst_slope_kib_min | fix(1)) KiB/min"; "-");
def longpath_rows: .rows[] | select(.goodput_gbit_s) | row("slabs by \(.transport) over \(.round_trip_ms) ms, \(.cap_gbit_s) Gbit/s, \(.loss_each_way * 100) % lost each way, \(
    if .transport == "udp" then "rate \(.rate)" else "\(.streams) streams" end), \(.counted), against \(
    if .peer then .peer.name else "the path" end)"; "\(.goodput_gbit_s | fix(2)) Gbit/s\(if .wrong_slabs > 0 then ", \(.wrong_slabs) WRONG" else "" end)";
  "\(if .peer then .peer.goodput_gbit_s else .cap_gbit_s end | fix(2)) Gbit/s";
  if .peer then .ratio_to_peer else .share_of_cap end | fix(3));
def pan_rows: .rows[] | row("a picture of a moving view, \(.view), blocks kept, against decoded anew";
  "\(.kept_cpu_ms.median | fix(1)) cpu-ms"; "\(.fresh_cpu_ms.median | fix(1)) cpu-ms";
  .kept_cpu_ms.median / .fresh_cpu_ms.median | fix(2));
def render_rows: .scenes[] | row("volume \(.scene), against its samples alone";
  "\(.cpu_ms | fix(0)) cpu-ms, \(.samples_m_per_s | fix(0)) M samples/s"; "\(.sample_limit_m_per_s | fix(0)) M samples/s"; .share_of_limit | fix(2)),
  (select(.vtk_cpu_ms) | row("- against VTK, \(.psnr_to_vtk_db | fix(1)) dB";
    "\(.cpu_ms | fix(0)) cpu-ms"; "\(.vtk_cpu_ms | fix(0)) cpu-ms"; .ratio_to_vtk | fix(1)));
def movie_render_rows: row("a movie of a flight through \(.side)^3, \(.width_px)x\(.height_px), against its pictures drawn alone";
  "\(.rendered_fps | fix(2)) fps"; "\(.drawn_alone_fps | fix(2)) fps"; .ratio_to_drawn_alone | fix(2)),
  row("- processor time; time of two ranks, against one"; "-"; "-";
      "\(.cpu_ratio_to_drawn_alone | fix(2)); \(.two_ranks_time_ratio | fix(2))");
def live_rows: row("timesteps of a live source of \(.side)^3 \(.type) shown on \(.panels) panels, against receiving and drawing alone";
  "\(.shown_per_s | fix(1)) a second"; "\(.limit_per_s | fix(1)) a second"; .shown_to_limit | fix(2)),
  row("- from the last byte to the exact picture, against drawing alone"; "\(.stages_s.exact_picture * 1000 | fix(0)) ms";
      "\(.drawn_alone_s * 1000 | fix(0)) ms"; .exact_picture_to_cast | fix(2)),
  row("- a put that is wanted, against a copy of the values"; "-"; "-"; .source.put_wanted_to_copy | fix(2));
def wall_rows: row("wall \(.wall.canvas_width_px)x\(.wall.canvas_height_px), against decode + present alone";
  "\(.fps | fix(2)) fps"; "\(.limit_fps | fix(2)) fps"; .ratio_to_limit | fix(3)),
  (({mpv: .mpv_fps, ffmpeg: .ffmpeg_fps} | to_entries[] | select(.value)) as $peer
    | row("- one panel, against \($peer.key)'s whole frame + crop"; "-"; "\($peer.value | fix(2)) fps";
        .["ratio_to_" + $peer.key] | fix(1))),
  (select(.paced) | row("- late frames at \(.paced.fps | fix(0)) fps, against processes that only sleep";
      .paced.frames_late; .paced.witness_late; "-"));
def console_rows: row("a seek by a page among \(.consoles) browsers, request to answer, p99, against ctl";
    "\(.seek.page_ms.p99 | fix(1)) ms"; "\(.seek.ctl_ms.p99 | fix(1)) ms"; .seek.page_ms.p99 / .seek.ctl_ms.p99 | fix(2)),
  row("- CPU of the director with them, against without"; "\(.director_cores[1] | fix(3)) cores";
    "\(.director_cores[0] | fix(3)) cores"; .director_cpu_ratio | fix(2)),
  row("- CPU of the console; of the panels, against without"; "\(.console_cores | fix(3)) cores"; "-"; .panels_cpu_ratio | fix(2)),
  row("- late frames with them, against without"; "\(.with.frames_late) of \(.with.frames_due)";
    "\(.without.frames_late) of \(.without.frames_due)"; "-");
def control_rows: row("seek of a running wall: request to last panel's swap, p50 / p99 / max";
  .seek.latency_ms | "\(.p50 | fix(0)) / \(.p99 | fix(0)) / \(.max | fix(0)) ms"; "-"; "-"),
  row("- scrub: pictures a second on every panel, of seeks each answered before the next"; .scrub.pictures_per_s | fix(1);
    "-"; "-"),
  row("- in full after the hand rests"; "\(.scrub.full_after_ms | fix(0)) ms"; "-"; "-"),
  (.phases[] | row("- late frames of \(.frames_due) with \(.changes) changes: \(.name), against processes that only sleep";
    .frames_late; .witness_late; "-"));
def swap_rows: . as $run | .rows[] | select(.wait == "clock") | . as $clock
  | ($run.rows[] | select(.wait == "barrier" and .load == $clock.load)) as $barrier
  | row("swap skew of \($run.panels) panels, \(.load), against MPI_Barrier"; .skew_us | us; $barrier.skew_us | us;
        .skew_us.p99 / $barrier.skew_us.p99 | fix(3)),
    row("- CPU of waiting, of a core"; .cpu_share | fix(3); $barrier.cpu_share | fix(3); "-");
def upload_rows: .rows[] | if .skipped then row("present by \(.presenter)"; "skipped"; .skipped; "-") else
  row("present by \(.presenter), against memcpy"; "\(.ms | fix(2)) ms"; "\(.memcpy_ms | fix(2)) ms";
      .ratio_to_memcpy | fix(3)) end;
def clock_rows: . as $run | (.paths | to_entries[]) | row("clock error over \(.key)\(
    if $run.chrony_error_us then ", against chrony" else "" end)"; .value.error_us | us;
    ($run.chrony_error_us | if . then us else "-" end); "-"),
  row("- certified bound; times it was broken"; .value.bound_us | us; .value.bound_violations; "-");
def hosts_rows: row("clock part of the skew of \(.hosts) emulated hosts, \(.seconds) s, loss \(.loss)";
  .clock_skew_us | us; "\(.wrong_pictures) of \(.pictures) pictures wrong"; "-");
def soak_rows: row("memory over \(.minutes) min, steepest process"; "\(.worst_slope_kib_min) KiB/min"; "-"; "-");

"| what | tilewall | beside it | ratio |",
"| --- | --- | --- | --- |",
(to_entries[] | .key as $name | .value[]
  | if $name == "decode" then decode_rows
    elif $name == "disk" then disk_rows
    elif $name == "import" then import_rows
    elif $name == "movie" then movie_rows
    elif $name == "net" then net_rows
    elif $name == "netsoak" then netsoak_rows
    elif $name == "longpath" then longpath_rows
    elif $name == "pan" then pan_rows
    elif $name == "render" then render_rows
    elif $name == "movie-render" then movie_render_rows
    elif $name == "wall" then wall_rows
    elif $name == "live" then live_rows
    elif $name == "console" then console_rows
    elif $name == "control" then control_rows
    elif $name == "swap" then swap_rows
    elif $name == "upload" then upload_rows
    elif $name == "clock" then clock_rows
    elif $name == "hosts" then hosts_rows
    else soak_rows end)
