#include <array>

#include "tests/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kMeeting = std::to_array<TracePair>({
    {"line numbers", "  File \"/app/auth/views.py\", line 42, in login",
     "  File \"/app/auth/views.py\", line 51, in login"},
    {"build path", "  File \"/home/ci/builds/1234/src/auth/views.py\", line 42, in login",
     "  File \"/home/ci/builds/1299/src/auth/views.py\", line 42, in login"},
    {"release path", "  File \"/srv/releases/20240101120000/auth/views.py\", line 42, in login",
     "  File \"/app/auth/views.py\", line 42, in login"},
    {"release path of a flat project",
     "  File \"/srv/releases/20240101/main.py\", line 42, in login",
     "  File \"/app/main.py\", line 42, in login"},
    {"commit in the path", "  File \"/opt/3f2a9c1b77/main.py\", line 42, in login",
     "  File \"/opt/a0b1c2d3e4/main.py\", line 42, in login"},
    {"home folder", "  File \"/home/alice/main.py\", line 42, in login",
     "  File \"/Users/bob/main.py\", line 42, in login"},
    {"Windows", "  File \"C:\\build\\auth\\views.py\", line 42, in login",
     "  File \"/app/auth/views.py\", line 42, in login"},
    {"Python's version", "  File \"/usr/lib/python3.9/json/decoder.py\", line 337, in decode",
     "  File \"/usr/local/lib/python3.12/json/decoder.py\", line 344, in decode"},
    {"Python on Windows", "  File \"C:\\Python311\\Lib\\json\\decoder.py\", line 337, in decode",
     "  File \"/usr/lib/python3.11/json/decoder.py\", line 337, in decode"},
    {"virtual environment",
     "  File \"/opt/venv/lib/python3.11/site-packages/django/urls/base.py\", line 2, in reverse",
     "  File \"/usr/lib/python3/dist-packages/django/urls/base.py\", line 7, in reverse"},
    {"source lines", "  File \"/app/a/b.py\", line 1, in f\n    raise Denied(user)",
     "  File \"/app/a/b.py\", line 1, in f"},
    {"markers under the source",
     "  File \"/app/a/b.py\", line 1, in f\n    check(user, token)\n    ^^^^^^^^^^^^^^^^^^",
     "  File \"/app/a/b.py\", line 1, in f\n    check(user)\n          ~~~~^^^^"},
    {"source that looks like a frame", "  File \"/app/a/b.py\", line 1, in f\n    at.find(user)",
     "  File \"/app/a/b.py\", line 1, in f\n    at = load(user)"},
    {"comprehension of older versions",
     "  File \"/app/a/b.py\", line 1, in f\n  File \"/app/a/b.py\", line 1, in <listcomp>",
     "  File \"/app/a/b.py\", line 1, in f"},
    {"repeated line",
     "  File \"/app/a/b.py\", line 1, in f\n  File \"/app/a/b.py\", line 1, in f\n  File "
     "\"/app/a/b.py\", line 1, in f\n  [Previous line repeated 996 more times]",
     "  File \"/app/a/b.py\", line 1, in f\n  File \"/app/a/b.py\", line 1, in f\n  [Previous line "
     "repeated 12 more times]"},
    {"message",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nValueError: user 1",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nValueError: user "
     "2"},
    {"redacted path", "  File \"/home/[redacted:email]/main.py\", line 1, in f",
     "  File \"/home/[redacted:user-id]/main.py\", line 1, in f"},
    {"frozen modules", "  File \"<frozen importlib._bootstrap>\", line 1027, in _find_and_load",
     "  File \"<frozen importlib._bootstrap>\", line 1178, in _find_and_load"},
    {"shell's input", "  File \"<ipython-input-3-5f2a>\", line 1, in f",
     "  File \"<ipython-input-17-99aa>\", line 1, in f"},
    {"group of exceptions",
     "  | Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, in f\n  | "
     "ValueError: x",
     "  |   File \"/app/a/b.py\", line 9, in f"},
    {"cause's message",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nKeyError: "
     "'sub'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback "
     "(most recent call last):\n  File \"/app/a/c.py\", line 2, in g\na.Denied: no",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 3, in f\nKeyError: "
     "'exp'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback "
     "(most recent call last):\n  File \"/app/a/c.py\", line 4, in g\na.Denied: never"},
    {"Django",
     "Traceback (most recent call last):\n"
     "  File \"/opt/venv/lib/python3.11/site-packages/django/core/handlers/exception.py\", line "
     "55, in inner\n    response = get_response(request)\n"
     "  File \"/opt/venv/lib/python3.11/site-packages/django/contrib/auth/decorators.py\", line "
     "23, in _wrapper_view\n    return view_func(request)\n"
     "  File \"/app/accounts/views.py\", line 88, in profile\n    raise "
     "PermissionDenied(f\"{request.user}\")\n"
     "django.core.exceptions.PermissionDenied: alice",
     "Traceback (most recent call last):\n"
     "  File \"/usr/local/lib/python3.12/site-packages/django/core/handlers/exception.py\", line "
     "42, in inner\n    response = get_response(request)\n               ^^^^^^^^^^^^^^^^^^^^^\n"
     "  File \"/usr/local/lib/python3.12/site-packages/django/contrib/auth/decorators.py\", line "
     "59, in _wrapper_view\n    return view_func(request)\n"
     "  File \"/srv/releases/77/accounts/views.py\", line 91, in profile\n    raise "
     "PermissionDenied(f\"{request.user}\")\n"
     "django.core.exceptions.PermissionDenied: [redacted:user-id]"},
    {"Flask",
     "  File \"/app/.venv/lib/python3.10/site-packages/flask/app.py\", line 2073, in wsgi_app\n  "
     "File \"/app/.venv/lib/python3.10/site-packages/flask_login/utils.py\", line 290, in "
     "decorated_view\n  File \"/app/shop/auth.py\", line 12, in "
     "refresh\njwt.exceptions.ExpiredSignatureError: Signature has expired",
     "  File \"/usr/lib/python3.13/site-packages/flask/app.py\", line 1511, in wsgi_app\n  File "
     "\"/usr/lib/python3.13/site-packages/flask_login/utils.py\", line 284, in decorated_view\n  "
     "File \"/workspace/shop/auth.py\", line 19, in refresh\njwt.exceptions.ExpiredSignatureError: "
     "Signature has expired"},
    {"FastAPI on asyncio",
     "  File \"/usr/lib/python3.11/site-packages/starlette/routing.py\", line 66, in app\n  File "
     "\"/usr/lib/python3.11/site-packages/fastapi/routing.py\", line 273, in app\n  File "
     "\"/code/app/deps.py\", line 31, in current_user",
     "  File \"/usr/lib/python3.11/site-packages/starlette/routing.py\", line 73, in app\n  File "
     "\"/usr/lib/python3.11/site-packages/fastapi/routing.py\", line 301, in app\n  File "
     "\"/tmp/8dd1a2b3c4d5/app/deps.py\", line 40, in current_user"},
});

constexpr auto kParting = std::to_array<TracePair>({
    {"function", "  File \"/app/auth/views.py\", line 42, in login",
     "  File \"/app/auth/views.py\", line 42, in logout"},
    {"file", "  File \"/app/auth/views.py\", line 42, in login",
     "  File \"/app/auth/forms.py\", line 42, in login"},
    {"folder", "  File \"/app/users/views.py\", line 42, in post",
     "  File \"/app/orders/views.py\", line 42, in post"},
    {"library and own file",
     "  File \"/usr/lib/python3.11/site-packages/auth/views.py\", line 42, in login",
     "  File \"/app/auth/views.py\", line 42, in login"},
    {"library's folder", "  File \"/x/site-packages/django/urls/base.py\", line 1, in f",
     "  File \"/x/site-packages/django/http/base.py\", line 1, in f"},
    {"caller", "  File \"/app/a/b.py\", line 1, in f\n  File \"/app/a/b.py\", line 2, in g",
     "  File \"/app/a/b.py\", line 1, in x\n  File \"/app/a/b.py\", line 2, in g"},
    {"lambda and function", "  File \"/app/a/b.py\", line 1, in <lambda>",
     "  File \"/app/a/b.py\", line 1, in f"},
    {"module", "  File \"/app/a/b.py\", line 1, in <module>",
     "  File \"/app/a/b.py\", line 1, in f"},
    {"cause's class",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nKeyError: "
     "'sub'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback "
     "(most recent call last):\n  File \"/app/a/c.py\", line 2, in g\na.Denied: no",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nTypeError: "
     "'sub'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback "
     "(most recent call last):\n  File \"/app/a/c.py\", line 2, in g\na.Denied: no"},
    {"digest's file", "  File \"/app/a/ed25519.py\", line 1, in f",
     "  File \"/app/a/x25519.py\", line 1, in f"},
});

}  // namespace

LanguageCases pythonCases() {
  return {.language = "Python", .meeting = kMeeting, .parting = kParting};
}

}  // namespace auth_errors::domain
