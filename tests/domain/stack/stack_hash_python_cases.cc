#include <array>

#include "tests/domain/stack/stack_hash_cases.h"

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
    {"windows virtual environment",
     "Traceback (most recent call last):\n  File \"C:\\Users\\u\\shop\\auth\\views.py\", line 10, "
     "in login\n    x()\n  File \"C:\\Users\\u\\venv\\Lib\\site-packages\\requests\\sessions.py\", "
     "line 181, in send\nE: m",
     "Traceback (most recent call last):\n  File \"/app/auth/views.py\", line 10, in login\n    "
     "x()\n  File \"/usr/lib/python3/dist-packages/requests/sessions.py\", line 197, in send\nE: "
     "m"},
    {"system's standard library",
     "Traceback (most recent call last):\n  File \"/usr/lib/python3.10/json/decoder.py\", line "
     "337, in decode\n    obj, end = self.raw_decode(s)\nE: m",
     "Traceback (most recent call last):\n  File \"/usr/local/lib/python3.12/json/decoder.py\", "
     "line 338, in decode\n    obj, end = self.raw_decode(s)\nE: m"},
    {"places of the standard library",
     "Traceback (most recent call last):\n  File "
     "\"/home/u/.pyenv/versions/3.11.4/lib/python3.11/json/decoder.py\", line 337, in decode\nE: m",
     "Traceback (most recent call last):\n  File "
     "\"/Library/Frameworks/Python.framework/Versions/3.12/lib/python3.12/json/decoder.py\", line "
     "338, in decode\nE: m"},
    {"recursion repeated",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in <module>\n    f(1)\n  "
     "File \"/app/a/b.py\", line 3, in f\n    return f(n+1)\n  File \"/app/a/b.py\", line 3, in "
     "f\n    return f(n+1)\n  File \"/app/a/b.py\", line 3, in f\n    return f(n+1)\n  [Previous "
     "line repeated 996 more times]\nRecursionError: maximum recursion depth exceeded",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in <module>\n    f(1)\n  "
     "File \"/app/a/b.py\", line 3, in f\n    return f(n+1)\n  File \"/app/a/b.py\", line 3, in "
     "f\n    return f(n+1)\nRecursionError: maximum recursion depth exceeded"},
    {"exception group borders",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  |     async with g:\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 "
     "sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call "
     "last):\n    |   File \"/app/a/c.py\", line 3, in g\n    |     x()\n    | ValueError: 17\n    "
     "+------------------------------------",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 2, "
     "in f\n  |     async with g:\n  |     ^^^^^^\n  | ExceptionGroup: unhandled errors in a "
     "TaskGroup (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback "
     "(most recent call last):\n    |   File \"/app/a/c.py\", line 4, in g\n    |     x()\n    | "
     "ValueError: 18\n    +------------------------------------"},
    {"log prefix",
     "ERROR:root:failed for 17\nTraceback (most recent call last):\n  File \"/app/a/b.py\", line "
     "1, in f\nE: m",
     "2024-01-02 03:04:05,678 [ERROR] root: failed for 18\nTraceback (most recent call last):\n  "
     "File \"/app/a/b.py\", line 1, in f\nE: m"},
    {"CRLF",
     "Traceback (most recent call last):\r\n  File \"/app/a/b.py\", line 1, in f\r\n    g(x)\r\nE: "
     "m\r\n",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n    g(x)\nE: m\n"},
    {"lambda path",
     "Traceback (most recent call last):\n  File \"/var/task/handler.py\", line 1, in handler\n  "
     "File \"/var/task/jose/jwt.py\", line 3, in decode\nE: m",
     "Traceback (most recent call last):\n  File \"/var/task/handler.py\", line 2, in handler\n  "
     "File \"/var/task/jose/jwt.py\", line 4, in decode\nE: m"},
    {"notebook input",
     "Traceback (most recent call last):\n  File \"<ipython-input-17-a1b2c3d4e5f6>\", line 1, in "
     "f\nE: m",
     "Traceback (most recent call last):\n  File \"<ipython-input-3-0f1e2d3c4b5a>\", line 1, in "
     "f\nE: m"},
    {"egg",
     "Traceback (most recent call last):\n  File "
     "\"/app/dist/shop-1.2.3-py3.11.egg/auth/views.py\", line 1, in f\nE: m",
     "Traceback (most recent call last):\n  File "
     "\"/app/dist/shop-1.3.0-py3.12.egg/auth/views.py\", line 1, in f\nE: m"},
    {"cache of uv",
     "Traceback (most recent call last):\n  File "
     "\"/root/.cache/uv/archive-v0/A1b2C3d4E5f6G7h8/lib/python3.12/site-packages/jose/jwt.py\", "
     "line 3, in decode\nE: m",
     "Traceback (most recent call last):\n  File "
     "\"/app/.venv/lib/python3.12/site-packages/jose/jwt.py\", line 4, in decode\nE: m"},
    {"nix store",
     "Traceback (most recent call last):\n  File "
     "\"/nix/store/abcd1234abcd1234abcd1234abcd1234-python3-3.11.6/lib/python3.11/json/"
     "decoder.py\", line 3, in decode\nE: m",
     "Traceback (most recent call last):\n  File "
     "\"/nix/store/zzzz1234abcd1234abcd1234abcd9999-python3-3.12.1/lib/python3.12/json/"
     "decoder.py\", line 4, in decode\nE: m"},
    {"cython frame",
     "Traceback (most recent call last):\n  File \"pandas/_libs/index.pyx\", line 138, in "
     "pandas._libs.index.IndexEngine.get_loc\nE: m",
     "Traceback (most recent call last):\n  File \"pandas/_libs/index.pyx\", line 165, in "
     "pandas._libs.index.IndexEngine.get_loc\nE: m"},
    {"sql alchemy multiline message",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in "
     "f\nsqlalchemy.exc.OperationalError: (psycopg2.OperationalError) could not connect\n[SQL: "
     "SELECT 1 WHERE id = 17]\n(Background on this error at: https://sqlalche.me/e/14/e3q8)",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in "
     "f\nsqlalchemy.exc.OperationalError: (psycopg2.OperationalError) could not connect\n[SQL: "
     "SELECT 1 WHERE id = 18]\n(Background on this error at: https://sqlalche.me/e/20/e3q8)"},
    {"asyncio library lines",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n    await g()\n  "
     "File \"/usr/lib/python3.11/asyncio/tasks.py\", line 479, in wait_for\n    return "
     "fut.result()\n           ^^^^^^^^^^^^\nE: m",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n    await g()\n  "
     "File \"/usr/lib/python3.12/asyncio/tasks.py\", line 520, in wait_for\n    return await "
     "fut\nE: m"},
    {"celery pools",
     "[2024-01-02 03:04:05,678: ERROR/ForkPoolWorker-3] Task "
     "tasks.mail[0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0] raised unexpected: E('m')\nTraceback (most "
     "recent call last):\n  File \"/app/tasks/mail.py\", line 1, in f\nE: m",
     "[2025-01-02 03:04:05,678: ERROR/ForkPoolWorker-8] Task "
     "tasks.mail[aaaa2d3c-4b5a-6978-8796-a5b4c3d2e1f0] raised unexpected: E('m')\nTraceback (most "
     "recent call last):\n  File \"/app/tasks/mail.py\", line 2, in f\nE: m"},
    {"gunicorn time before each line",
     "2024-01-02 03:04:05 Traceback (most recent call last):\n2024-01-02 03:04:05   File "
     "\"/app/a/b.py\", line 1, in f\n2024-01-02 03:04:05     g()\n2024-01-02 03:04:05 E: m",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n    g()\nE: m"},
    {"three chained",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nKeyError: "
     "1\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most "
     "recent call last):\n  File \"/app/a/c.py\", line 3, in g\nValueError: 2\n\nThe above "
     "exception was the direct cause of the following exception:\n\nTraceback (most recent call "
     "last):\n  File \"/app/a/d.py\", line 3, in h\nAuthError: m",
     "Traceback (most recent call last):\n  File \"/srv/a/b.py\", line 7, in f\n    x\n    "
     "^\nKeyError: 9\n\nDuring handling of the above exception, another exception "
     "occurred:\n\nTraceback (most recent call last):\n  File \"/srv/a/c.py\", line 8, in "
     "g\nValueError: 9\n\nThe above exception was the direct cause of the following "
     "exception:\n\nTraceback (most recent call last):\n  File \"/srv/a/d.py\", line 9, in "
     "h\nAuthError: n"},
    {"bazel runfiles",
     "Traceback (most recent call last):\n  File "
     "\"/home/u/.cache/bazel/_bazel_u/0f1e2d3c4b5a69788796a5b4c3d2e1f0/execroot/shop/bazel-out/"
     "k8-fastbuild/bin/auth/login.runfiles/shop/auth/login.py\", line 1, in f\nE: m",
     "Traceback (most recent call last):\n  File \"/app/shop/auth/login.py\", line 9, in f\nE: m"},
    {"pipx and pdm",
     "Traceback (most recent call last):\n  File "
     "\"/root/.local/share/pipx/venvs/shop/lib/python3.11/site-packages/shop/auth.py\", line 1, in "
     "f\nE: m",
     "Traceback (most recent call last):\n  File "
     "\"/app/__pypackages__/3.12/lib/python3.12/site-packages/shop/auth.py\", line 9, in f\nE: m"},
    {"editable and docker places",
     "Traceback (most recent call last):\n  File \"/usr/src/app/accounts/views.py\", line 1, in "
     "f\nE: m",
     "Traceback (most recent call last):\n  File \"/code/accounts/views.py\", line 9, in f\nE: m"},
    {"shortened source",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n    return g(\n    "
     "    x,\n        ...<2 lines>...\n    )\nE: m",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 2, in f\n    return g(x, "
     "y)\nE: m"},
    {"threads",
     "Exception in thread Thread-17 (run):\nTraceback (most recent call last):\n  File "
     "\"/app/a/b.py\", line 1, in f\nE: m",
     "Exception in thread Thread-2:\nTraceback (most recent call last):\n  File \"/app/a/b.py\", "
     "line 1, in f\nE: m"},
    {"syntax errors",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n  File "
     "\"/app/a/c.py\", line 3\n    x = = 3\n        ^\nSyntaxError: invalid syntax",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n  File "
     "\"/app/a/c.py\", line 9\n    y = = 3\n        ^\nSyntaxError: invalid syntax"},
    {"remote traceback",
     "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  File "
     "\"/app/a/b.py\", line 1, in f\nE: m\n\"\"\"\n\nThe above exception was the direct cause of "
     "the following exception:\n\nTraceback (most recent call last):\n  File \"/app/a/c.py\", line "
     "1, in g\nE: m",
     "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  File "
     "\"/app/a/b.py\", line 4, in f\nE: m\n\"\"\"\n\nThe above exception was the direct cause of "
     "the following exception:\n\nTraceback (most recent call last):\n  File \"/app/a/c.py\", line "
     "5, in g\nE: m"},
    {"systemd journal",
     "May  6 07:08:09 web1 gunicorn[123]: Traceback (most recent call last):\nMay  6 07:08:09 web1 "
     "gunicorn[123]:   File \"/app/a/b.py\", line 1, in f\nMay  6 07:08:09 web1 gunicorn[123]:     "
     "g()\nMay  6 07:08:09 web1 gunicorn[123]: E: m",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n    g()\nE: m"},
    {"task group",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/shop/main.py\", "
     "line 12, in main\n  |     async with asyncio.TaskGroup() as tg:\n  |   File "
     "\"/usr/lib/python3.11/asyncio/taskgroups.py\", line 147, in __aexit__\n  |     raise me from "
     "None\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  "
     "+-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   "
     "File \"/app/shop/auth.py\", line 3, in check\n    |     raise PermissionError(\"user 17\")\n "
     "   | PermissionError: user 17\n    +------------------------------------",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/srv/shop/main.py\", "
     "line 14, in main\n  |     async with asyncio.TaskGroup() as group:\n  |   File "
     "\"/usr/local/lib/python3.12/asyncio/taskgroups.py\", line 145, in __aexit__\n  |     raise "
     "me from None\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  "
     "+-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   "
     "File \"/srv/shop/auth.py\", line 5, in check\n    |     raise PermissionError(f\"user "
     "{user}\")\n    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n    | PermissionError: user 18\n "
     "   +------------------------------------"},
    {"group of more members",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (1 sub-exception)\n  +-+---------------- 1 ----------------\n    "
     "| Traceback (most recent call last):\n    |   File \"/app/a/c.py\", line 3, in g\n    | "
     "ValueError: 17\n    +------------------------------------",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (3 sub-exceptions)\n  +-+---------------- 1 ----------------\n   "
     " | Traceback (most recent call last):\n    |   File \"/app/a/c.py\", line 3, in g\n    | "
     "ValueError: 17\n    +---------------- 2 ----------------\n    | Traceback (most recent call "
     "last):\n    |   File \"/app/a/c.py\", line 3, in g\n    | ValueError: 18\n    "
     "+---------------- 3 ----------------\n    | Traceback (most recent call last):\n    |   File "
     "\"/app/a/d.py\", line 3, in h\n    | ValueError: 19\n    "
     "+------------------------------------"},
    {"exception while a group is handled",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n   "
     " | ValueError: 17\n    +---------------- 2 ----------------\n    | KeyError: 17\n    "
     "+------------------------------------\n\nDuring handling of the above exception, another "
     "exception occurred:\n\nTraceback (most recent call last):\n  File \"/app/a/m.py\", line 1, "
     "in main\na.E: no",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (1 sub-exception)\n  +-+---------------- 1 ----------------\n    "
     "| ValueError: 18\n    +------------------------------------\n\nDuring handling of the above "
     "exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "
     "\"/app/a/m.py\", line 2, in main\na.E: no"},
    {"escaped newlines",
     "Traceback (most recent call last):\\n  File \\\"/app/shop/auth.py\\\", line 3, in check\\n   "
     " raise E()\\nshop.E: no\\n",
     "Traceback (most recent call last):\n  File \"/app/shop/auth.py\", line 4, in check\n    "
     "raise E()\nshop.E: no"},
    {"escaped for HTML",
     "Traceback (most recent call last):\n  File &quot;/app/shop/auth.py&quot;, line 3, in check\n "
     "   raise E()\n  File &quot;/app/shop/db.py&quot;, line 3, in &lt;lambda&gt;\n    raise "
     "E()\nshop.E: no",
     "Traceback (most recent call last):\n  File \"/app/shop/auth.py\", line 4, in check\n    "
     "raise E()\n  File \"/app/shop/db.py\", line 8, in <lambda>\n    raise E()\nshop.E: no"},
    {"one line",
     "Traceback (most recent call last): File \"/app/a/b.py\", line 1, in f return g(x) File "
     "\"/app/a/c.py\", line 2, in g raise E() a.E: no",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 3, in f\n    return g(x)\n  "
     "File \"/app/a/c.py\", line 4, in g\n    raise E()\na.E: no"},
    {"logger without a time before each line",
     "ERROR:shop.auth:Traceback (most recent call last):\nERROR:shop.auth:  File \"/app/a/b.py\", "
     "line 1, in f\nERROR:shop.auth:    return g(x)\nERROR:shop.auth:  File \"/app/a/c.py\", line "
     "2, in g\nERROR:shop.auth:    raise E()\nERROR:shop.auth:a.E: no",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\n    return g(x)\n  "
     "File \"/app/a/c.py\", line 2, in g\n    raise E()\na.E: no"},
    {"Loguru's mark",
     "Traceback (most recent call last):\n\n> File \"/app/shop/auth.py\", line 3, in check\n    "
     "raise E(user)\n\n  File \"/app/shop/db.py\", line 9, in get\n    return "
     "rows[key]\n\nKeyError: 'a17'",
     "Traceback (most recent call last):\n  File \"/app/shop/auth.py\", line 3, in check\n    "
     "raise E(user)\n  File \"/app/shop/db.py\", line 9, in get\n    return rows[key]\nKeyError: "
     "'a18'"},
    {"Loguru's values",
     "Traceback (most recent call last):\n\n  File \"/app/shop/auth.py\", line 3, in check\n    "
     "raise E(user)\n            └ <User 17>\n\n  File \"/app/shop/db.py\", line 9, in get\n    "
     "return rows[key]\n           │    └ 'a17'\n           └ {}\n\nKeyError: 'a17'",
     "Traceback (most recent call last):\n  File \"/app/shop/auth.py\", line 3, in check\n    "
     "raise E(user)\n  File \"/app/shop/db.py\", line 9, in get\n    return rows[key]\nKeyError: "
     "'a18'"},
    {"Celery's log",
     "[2024-05-06 07:08:09,123: ERROR/ForkPoolWorker-3] Task "
     "shop.tasks.sync[0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0] raised unexpected: "
     "KeyError('a')\nTraceback (most recent call last):\n  File "
     "\"/usr/local/lib/python3.11/site-packages/celery/app/trace.py\", line 477, in trace_task\n   "
     " R = retval = fun(*args, **kwargs)\n  File \"/app/shop/tasks.py\", line 3, in sync\n    "
     "return a[\"a\"]\nKeyError: 'a'",
     "[2024-05-07 07:08:09,123: ERROR/ForkPoolWorker-11] Task "
     "shop.tasks.sync[ffffffff-4b5a-6978-8796-a5b4c3d2e1f0] raised unexpected: "
     "KeyError('a')\nTraceback (most recent call last):\n  File "
     "\"/opt/venv/lib/python3.12/site-packages/celery/app/trace.py\", line 453, in trace_task\n    "
     "R = retval = fun(*args, **kwargs)\n                 ^^^^^^^^^^^^^^^^^^^^\n  File "
     "\"/srv/shop/tasks.py\", line 5, in sync\n    return a[\"a\"]\n           ~^^^^^\nKeyError: "
     "'a'"},
    {"group with times before each line",
     "2024-05-06 07:08:09,123 ERROR   + Exception Group Traceback (most recent call "
     "last):\n2024-05-06 07:08:09,123 ERROR   |   File \"/app/a/b.py\", line 1, in f\n2024-05-06 "
     "07:08:09,123 ERROR   | ExceptionGroup: e (1 sub-exception)\n2024-05-06 07:08:09,123 ERROR   "
     "+-+---------------- 1 ----------------\n2024-05-06 07:08:09,123 ERROR     | Traceback (most "
     "recent call last):\n2024-05-06 07:08:09,123 ERROR     |   File \"/app/a/c.py\", line 3, in "
     "g\n2024-05-06 07:08:09,123 ERROR     | ValueError: 17\n2024-05-06 07:08:09,123 ERROR     "
     "+------------------------------------",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (1 sub-exception)\n  +-+---------------- 1 ----------------\n    "
     "| Traceback (most recent call last):\n    |   File \"/app/a/c.py\", line 3, in g\n    | "
     "ValueError: 17\n    +------------------------------------"},
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
    {"chained or direct cause order",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nKeyError: "
     "17\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most "
     "recent call last):\n  File \"/app/a/c.py\", line 3, in g\nAuthError: m",
     "Traceback (most recent call last):\n  File \"/app/a/c.py\", line 3, in g\nAuthError: "
     "m\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most "
     "recent call last):\n  File \"/app/a/b.py\", line 1, in f\nKeyError: 17"},
    {"class of the cause",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nKeyError: "
     "17\n\nThe above exception was the direct cause of the following exception:\n\nTraceback "
     "(most recent call last):\n  File \"/app/a/c.py\", line 3, in g\nAuthError: m",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nValueError: "
     "17\n\nThe above exception was the direct cause of the following exception:\n\nTraceback "
     "(most recent call last):\n  File \"/app/a/c.py\", line 3, in g\nAuthError: m"},
    {"functions with digits",
     "Traceback (most recent call last):\n  File \"/app/auth/h.py\", line 1, in sha256\nE: m",
     "Traceback (most recent call last):\n  File \"/app/auth/h.py\", line 1, in sha512\nE: m"},
    {"version packages",
     "Traceback (most recent call last):\n  File \"/app/api/v1/login.py\", line 1, in post\nE: m",
     "Traceback (most recent call last):\n  File \"/app/api/v2/login.py\", line 1, in post\nE: m"},
    {"oauth files",
     "Traceback (most recent call last):\n  File \"/app/auth/oauth1.py\", line 1, in post\nE: m",
     "Traceback (most recent call last):\n  File \"/app/auth/oauth2.py\", line 1, in post\nE: m"},
    {"libraries",
     "Traceback (most recent call last):\n  File \"/v/lib/python3.12/site-packages/jose/jwt.py\", "
     "line 1, in decode\nE: m",
     "Traceback (most recent call last):\n  File \"/v/lib/python3.12/site-packages/jwt/jwt.py\", "
     "line 1, in decode\nE: m"},
    {"group members",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (1 sub-exception)\n  +-+---------------- 1 ----------------\n    "
     "| Traceback (most recent call last):\n    |   File \"/app/a/c.py\", line 3, in g\n    | "
     "ValueError: 17\n    +------------------------------------",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (1 sub-exception)\n  +-+---------------- 1 ----------------\n    "
     "| Traceback (most recent call last):\n    |   File \"/app/a/d.py\", line 3, in h\n    | "
     "KeyError: 17\n    +------------------------------------"},
    {"lambdas of files",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in <lambda>\nE: m",
     "Traceback (most recent call last):\n  File \"/app/a/c.py\", line 1, in <lambda>\nE: m"},
    {"module level of files",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in <module>\nE: m",
     "Traceback (most recent call last):\n  File \"/app/a/c.py\", line 1, in <module>\nE: m"},
    {"numbered migrations",
     "Traceback (most recent call last):\n  File \"/app/auth/migrations/0001_initial.py\", line 1, "
     "in f\nE: m",
     "Traceback (most recent call last):\n  File \"/app/auth/migrations/0002_tokens.py\", line 1, "
     "in f\nE: m"},
    {"numbered files",
     "Traceback (most recent call last):\n  File \"/app/auth/step1.py\", line 1, in f\nE: m",
     "Traceback (most recent call last):\n  File \"/app/auth/step2.py\", line 1, in f\nE: m"},
    {"underscored numbers",
     "Traceback (most recent call last):\n  File \"/app/auth/sha_256.py\", line 1, in f\nE: m",
     "Traceback (most recent call last):\n  File \"/app/auth/sha_512.py\", line 1, in f\nE: m"},
    {"with and without an implicit cause",
     "Traceback (most recent call last):\n  File \"/app/a/b.py\", line 1, in f\nKeyError: "
     "1\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most "
     "recent call last):\n  File \"/app/a/c.py\", line 3, in g\nAuthError: m",
     "Traceback (most recent call last):\n  File \"/app/a/c.py\", line 3, in g\nAuthError: m"},
    {"hash-like names",
     "Traceback (most recent call last):\n  File \"/app/auth/facade.py\", line 1, in f\nE: m",
     "Traceback (most recent call last):\n  File \"/app/auth/decade.py\", line 1, in f\nE: m"},
    {"file and package",
     "Traceback (most recent call last):\n  File \"/app/auth/__init__.py\", line 1, in f\nE: m",
     "Traceback (most recent call last):\n  File \"/app/billing/__init__.py\", line 1, in f\nE: m"},
    {"functions of a group's member",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/shop/main.py\", "
     "line 12, in main\n  |     async with asyncio.TaskGroup() as tg:\n  | ExceptionGroup: "
     "unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 "
     "----------------\n    | Traceback (most recent call last):\n    |   File "
     "\"/app/shop/auth.py\", line 3, in check\n    |     raise PermissionError(\"user 17\")\n    | "
     "PermissionError: user 17\n    +------------------------------------",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/shop/main.py\", "
     "line 12, in main\n  |     async with asyncio.TaskGroup() as tg:\n  | ExceptionGroup: "
     "unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 "
     "----------------\n    | Traceback (most recent call last):\n    |   File "
     "\"/app/shop/auth.py\", line 3, in refresh\n    |     raise PermissionError(\"user 17\")\n    "
     "| PermissionError: user 17\n    +------------------------------------"},
    {"class of a group's member",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (1 sub-exception)\n  +-+---------------- 1 ----------------\n    "
     "| Traceback (most recent call last):\n    |   File \"/app/a/c.py\", line 3, in g\n    | "
     "ValueError: 17\n    +------------------------------------",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a/b.py\", line 1, "
     "in f\n  | ExceptionGroup: e (1 sub-exception)\n  +-+---------------- 1 ----------------\n    "
     "| Traceback (most recent call last):\n    |   File \"/app/a/c.py\", line 3, in g\n    | "
     "KeyError: 17\n    +------------------------------------"},
    {"one line, functions",
     "Traceback (most recent call last): File \"/app/a/b.py\", line 1, in f return g(x) File "
     "\"/app/a/c.py\", line 2, in g raise E() a.E: no",
     "Traceback (most recent call last): File \"/app/a/b.py\", line 1, in f return g(x) File "
     "\"/app/a/c.py\", line 2, in h raise E() a.E: no"},
    {"Korean functions", "  File \"/app/인증/로그인.py\", line 3, in 확인",
     "  File \"/app/인증/로그인.py\", line 3, in 검사"},
});

}  // namespace

LanguageCases pythonCases() {
  return {.language = "Python", .meeting = kMeeting, .parting = kParting};
}

}  // namespace auth_errors::domain
