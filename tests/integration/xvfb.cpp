#include "tests/integration/xvfb.hpp"

#include <X11/Xatom.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tilewall {

namespace {

/// Starts `Xvfb -displayfd N`, which picks a free display itself and writes its number to N.
pid_t spawn_server(int number_fd, const std::string& screen) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const std::string fd = std::to_string(number_fd);
  ::freopen("/dev/null", "w", stderr);
  ::execlp("Xvfb", "Xvfb", "-displayfd", fd.c_str(), "-screen", "0", screen.c_str(), "-nolisten",
           "tcp", static_cast<char*>(nullptr));
  ::_exit(127);
}

/// The display number that the server writes when it is ready; "" where it does not come up.
std::string read_display_number(int fd) {
  std::string number;
  pollfd readable = {fd, POLLIN, 0};
  while (::poll(&readable, 1, 10'000) > 0) {
    char byte = 0;
    if (::read(fd, &byte, 1) != 1) return "";
    if (byte == '\n') return number;
    number += byte;
  }
  return "";
}

}  // namespace

std::optional<Xvfb> Xvfb::start(SizePx screen_px, int depth_bits) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return std::nullopt;
  Xvfb server;
  server.pid_ = spawn_server(pipe[1], std::to_string(screen_px.width) + "x" +
                                          std::to_string(screen_px.height) + "x" +
                                          std::to_string(depth_bits));
  ::close(pipe[1]);
  const std::string number = read_display_number(pipe[0]);
  ::close(pipe[0]);
  if (number.empty()) return std::nullopt;
  server.display_name_ = ":" + number;
  server.display_ = XOpenDisplay(server.display_name_.c_str());
  if (server.display_ == nullptr) return std::nullopt;
  return server;
}

Xvfb::Xvfb(Xvfb&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      display_name_(std::move(other.display_name_)),
      display_(std::exchange(other.display_, nullptr)) {}

Xvfb::~Xvfb() {
  if (display_ != nullptr) XCloseDisplay(display_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

TestPicture Xvfb::screenshot() const {
  const int screen = DefaultScreen(display_);
  const SizePx size = {DisplayWidth(display_, screen), DisplayHeight(display_, screen)};
  TestPicture picture(size);
  XImage* image =
      XGetImage(display_, DefaultRootWindow(display_), 0, 0, static_cast<unsigned>(size.width),
                static_cast<unsigned>(size.height), AllPlanes, ZPixmap);
  for (int y = 0; y < size.height; ++y)
    std::memcpy(picture.view().row(y),
                image->data + static_cast<std::ptrdiff_t>(y) * image->bytes_per_line,
                static_cast<std::size_t>(size.width) * 4);
  XDestroyImage(image);
  return picture;
}

Window Xvfb::window_at(PointPx at) const {
  const Window root = DefaultRootWindow(display_);
  Window child = None;
  int x = 0;
  int y = 0;
  XTranslateCoordinates(display_, root, root, at.x, at.y, &x, &y, &child);
  return child;
}

void Xvfb::press_key(Window window, KeySym key, unsigned modifiers) const {
  XEvent event = {};
  event.xkey.display = display_;
  event.xkey.window = window;
  event.xkey.root = DefaultRootWindow(display_);
  event.xkey.same_screen = True;
  event.xkey.keycode = XKeysymToKeycode(display_, key);
  event.xkey.state = modifiers;
  event.type = KeyPress;
  XSendEvent(display_, window, True, KeyPressMask, &event);
  event.type = KeyRelease;
  XSendEvent(display_, window, True, KeyReleaseMask, &event);
  XSync(display_, False);
}

void Xvfb::move_pointer(PointPx to) const {
  XTestFakeMotionEvent(display_, DefaultScreen(display_), to.x, to.y, CurrentTime);
  XSync(display_, False);
}

void Xvfb::hold_button(unsigned button) const {
  XTestFakeButtonEvent(display_, button, True, CurrentTime);
  XSync(display_, False);
}

void Xvfb::release_button(unsigned button) const {
  XTestFakeButtonEvent(display_, button, False, CurrentTime);
  XSync(display_, False);
}

void Xvfb::click(unsigned button) const {
  hold_button(button);
  release_button(button);
}

void Xvfb::hold_keys(std::initializer_list<KeySym> keys, std::chrono::milliseconds time) const {
  hold_keys(keys, [&] { std::this_thread::sleep_for(time); });
}

void Xvfb::hold_keys(std::initializer_list<KeySym> keys,
                     const std::function<void()>& meanwhile) const {
  const auto set = [&](int down) {
    for (const KeySym key : keys)
      XTestFakeKeyEvent(display_, XKeysymToKeycode(display_, key), down, CurrentTime);
    XSync(display_, False);
  };
  set(True);
  meanwhile();
  set(False);
}

void Xvfb::take_keyboard() const {
  XSetInputFocus(display_, DefaultRootWindow(display_), RevertToPointerRoot, CurrentTime);
  XSync(display_, False);
}

void Xvfb::close_window(Window window) const {
  XEvent event = {};
  event.type = ClientMessage;
  event.xclient.window = window;
  event.xclient.message_type = XInternAtom(display_, "WM_PROTOCOLS", False);
  event.xclient.format = 32;
  event.xclient.data.l[0] = static_cast<long>(XInternAtom(display_, "WM_DELETE_WINDOW", False));
  XSendEvent(display_, window, False, NoEventMask, &event);
  XSync(display_, False);
}

void Xvfb::expose_all() const {
  const int screen = DefaultScreen(display_);
  XSetWindowAttributes attributes = {};
  attributes.override_redirect = True;
  attributes.background_pixel = WhitePixel(display_, screen);
  const Window cover =
      XCreateWindow(display_, DefaultRootWindow(display_), 0, 0,
                    static_cast<unsigned>(DisplayWidth(display_, screen)),
                    static_cast<unsigned>(DisplayHeight(display_, screen)), 0, CopyFromParent,
                    InputOutput, nullptr, CWOverrideRedirect | CWBackPixel, &attributes);
  XMapRaised(display_, cover);
  XSync(display_, False);
  XDestroyWindow(display_, cover);
  XSync(display_, False);
}

StubbornWindowManager::StubbornWindowManager(const std::string& display_name)
    : display_(XOpenDisplay(display_name.c_str())) {
  if (display_ == nullptr) throw std::runtime_error("cannot open " + display_name);
  const Window root = DefaultRootWindow(display_);
  const Window self = XCreateSimpleWindow(display_, root, -10, -10, 1, 1, 0, 0, 0);
  const Atom check = XInternAtom(display_, "_NET_SUPPORTING_WM_CHECK", False);
  XChangeProperty(display_, root, check, XA_WINDOW, 32, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(&self), 1);
  XSelectInput(display_, root, SubstructureRedirectMask);
  XSync(display_, False);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      while (XPending(display_) > 0) {
        XEvent event;
        XNextEvent(display_, &event);
        handle(event);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
}

StubbornWindowManager::~StubbornWindowManager() {
  thread_.request_stop();
  thread_.join();
  XCloseDisplay(display_);
}

void StubbornWindowManager::handle(const XEvent& event) {
  if (event.type == MapRequest) {
    XMoveWindow(display_, event.xmaprequest.window, 0, 0);
    XMapWindow(display_, event.xmaprequest.window);
  } else if (event.type == ConfigureRequest) {
    const XConfigureRequestEvent& request = event.xconfigurerequest;
    if (request.width > 0 && request.height > 0)
      XMoveResizeWindow(display_, request.window, 0, 0, static_cast<unsigned>(request.width),
                        static_cast<unsigned>(request.height));
  }
  XFlush(display_);
}

}  // namespace tilewall
