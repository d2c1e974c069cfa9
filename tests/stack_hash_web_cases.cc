// Ruby, PHP and .NET.
#include <array>

#include "tests/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kDotnetMeeting = std::to_array<TracePair>({
    {"static constructor's lambda", "   at Acme.Login.<>c.<.cctor>b__272_0(Object o)",
     "   at Acme.Login.<>c.<.cctor>b__281_0(Object o)"},
    {"place", "   at Acme.Login.Check(String user) in C:\\build\\Login.cs:line 42",
     "   at Acme.Login.Check(String user) in /src/Login.cs:line 57"},
    {"no symbols", "   at Acme.Login.Check(String user) in C:\\build\\Login.cs:line 42",
     "   at Acme.Login.Check(String user)"},
    {"parameters' names", "   at Acme.Login.Check(String user)",
     "   at Acme.Login.Check(String name)"},
    {"async method", "   at Acme.Login.<CheckAsync>d__5.MoveNext() in /src/Login.cs:line 42",
     "   at Acme.Login.<CheckAsync>d__8.MoveNext() in /src/Login.cs:line 42"},
    {"async method of old and new runtimes", "   at Acme.Login.<CheckAsync>d__5.MoveNext()",
     "   at Acme.Login.CheckAsync(String user)"},
    {"generic async method", "   at Acme.Login.<CheckAsync>d__5`1.MoveNext()",
     "   at Acme.Login.<CheckAsync>d__7`2.MoveNext()"},
    {"lambda", "   at Acme.Login.<>c.<Check>b__1_0(Object o)",
     "   at Acme.Login.<>c.<Check>b__4_2(Object o)"},
    {"capturing lambda", "   at Acme.Login.<>c__DisplayClass3_0.<Check>b__1(Object o)",
     "   at Acme.Login.<>c__DisplayClass9_1.<Check>b__0(Object o)"},
    {"async lambda", "   at Acme.Login.<>c__DisplayClass3_0.<<Check>b__1>d.MoveNext()",
     "   at Acme.Login.<>c__DisplayClass4_0.<<Check>b__0>d.MoveNext()"},
    {"local function", "   at Acme.Login.<Check>g__Verify|5_0(String s)",
     "   at Acme.Login.<Check>g__Verify|8_1(String s)"},
    {"top-level statements", "   at Program.<Main>$(String[] args) in /src/Program.cs:line 3",
     "   at Program.<Main>$(String[] args)"},
    {"compiled expression", "   at lambda_method123(Closure, Object)\n   at Acme.Login.Check()",
     "   at lambda_method7(Closure, Object)\n   at Acme.Login.Check()"},
    {"generic type", "   at Acme.Cache`1.Get(String key)", "   at Acme.Cache`1.Get(Int32 key)"},
    {"generic method", "   at Acme.Cache.Get[T](String key)",
     "   at Acme.Cache.Get[TResult](String key)"},
    {"async boundary",
     "   at Acme.Login.Check()\n--- End of stack trace from previous location ---\n   at "
     "Acme.Web.Run()",
     "   at Acme.Login.Check()\n   at Acme.Web.Run()"},
    {"async boundary of old runtimes",
     "   at Acme.Login.Check()\n--- End of stack trace from previous location where exception was "
     "thrown ---\n   at System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw()\n   at "
     "System.Runtime.CompilerServices.TaskAwaiter.HandleNonSuccessAndDebuggerNotification(Task "
     "task)\n   at Acme.Web.Run()",
     "   at Acme.Login.Check()\n   at Acme.Web.Run()"},
    {"inner exception's message",
     "Acme.E: x ---> Acme.F: user 1\n   at Acme.Login.Check()\n   --- End of inner exception stack "
     "trace ---\n   at Acme.Web.Run()",
     "Acme.E: x ---> Acme.F: user 2\n   at Acme.Login.Check()\n   --- End of inner exception stack "
     "trace ---\n   at Acme.Web.Run()"},
    {"inner exception on a line of its own",
     "Acme.E: x ---> Acme.F: y\n   at Acme.Login.Check()\n   --- End of inner exception stack "
     "trace ---\n   at Acme.Web.Run()",
     "Acme.E: x\n ---> Acme.F: y\n   at Acme.Login.Check()\n   --- End of inner exception stack "
     "trace ---\n   at Acme.Web.Run()"},
    {"further inner exceptions",
     "System.AggregateException: x\n ---> Acme.F: y\n   at Acme.Login.Check()\n   --- End of inner "
     "exception stack trace ---\n   at Acme.Web.Run()\n ---> (Inner Exception #1) Acme.G: z\n   at "
     "Acme.Other.Do()<---",
     "System.AggregateException: x\n ---> Acme.F: y\n   at Acme.Login.Check()\n   --- End of inner "
     "exception stack trace ---\n   at Acme.Web.Run()"},
    {"ASP.NET Core",
     "Microsoft.IdentityModel.Tokens.SecurityTokenExpiredException: IDX10223: Lifetime validation "
     "failed. The token is expired. ValidTo: '01/01/2026 00:00:00'\n   at "
     "Microsoft.IdentityModel.Tokens.Validators.ValidateLifetime(Nullable`1 notBefore, Nullable`1 "
     "expires)\n   at "
     "Microsoft.AspNetCore.Authentication.JwtBearer.JwtBearerHandler.<HandleAuthenticateAsync>d__6."
     "MoveNext()\n--- End of stack trace from previous location ---\n   at "
     "Acme.Web.TokenMiddleware.<InvokeAsync>d__2.MoveNext() in "
     "D:\\a\\1\\s\\TokenMiddleware.cs:line 31",
     "Microsoft.IdentityModel.Tokens.SecurityTokenExpiredException: IDX10223: Lifetime validation "
     "failed. The token is expired. ValidTo: '02/03/2026 10:11:12'\n   at "
     "Microsoft.IdentityModel.Tokens.Validators.ValidateLifetime(Nullable`1 notBefore, Nullable`1 "
     "expires)\n   at "
     "Microsoft.AspNetCore.Authentication.JwtBearer.JwtBearerHandler.HandleAuthenticateAsync()\n   "
     "at Acme.Web.TokenMiddleware.InvokeAsync(HttpContext context) in "
     "/home/agent/builds/1/s/TokenMiddleware.cs:line 34"},
});

constexpr auto kDotnetParting = std::to_array<TracePair>({
    {"method", "   at Acme.Login.Check(String user)", "   at Acme.Login.Reset(String user)"},
    {"class", "   at Acme.Login.Check()", "   at Acme.Token.Check()"},
    {"namespace", "   at Acme.Web.Login.Check()", "   at Acme.Api.Login.Check()"},
    {"async method", "   at Acme.Login.<CheckAsync>d__5.MoveNext()",
     "   at Acme.Login.<ResetAsync>d__5.MoveNext()"},
    {"local function", "   at Acme.Login.<Check>g__Verify|5_0()",
     "   at Acme.Login.<Check>g__Parse|5_0()"},
    {"lambda's method", "   at Acme.Login.<>c.<Check>b__1_0(Object o)",
     "   at Acme.Login.<>c.<Reset>b__1_0(Object o)"},
    {"constructor", "   at Acme.Login..ctor(String a)", "   at Acme.Login.Check(String a)"},
    {"inner exception's class", "Acme.E: x ---> Acme.F: y\n   at Acme.Login.Check()",
     "Acme.E: x ---> Acme.G: y\n   at Acme.Login.Check()"},
    {"whose frames",
     "Acme.E: x\n ---> Acme.F: y\n   at Acme.A.B()\n   --- End of inner exception stack trace "
     "---\n   at Acme.C.D()",
     "Acme.E: x\n ---> Acme.F: y\n   at Acme.C.D()\n   --- End of inner exception stack trace "
     "---\n   at Acme.A.B()"},
});

constexpr auto kRubyMeeting = std::to_array<TracePair>({
    {"template's method",
     "app/views/login/new.html.erb:3:in `_app_views_login_new_html_erb___1720983_2840'",
     "app/views/login/new.html.erb:5:in `_app_views_login_new_html_erb__9981_70125'"},
    {"evaluated code", "(eval at /app/models/user.rb:3):1:in 'check'",
     "(eval at /srv/releases/9/models/user.rb:8):2:in 'check'"},
    {"line numbers", "app/models/user.rb:42:in `authenticate'",
     "app/models/user.rb:57:in `authenticate'"},
    {"quotes of old and new versions", "app/models/user.rb:42:in `authenticate'",
     "app/models/user.rb:42:in 'authenticate'"},
    {"from", "\tfrom /app/models/user.rb:42:in `authenticate'",
     "/app/models/user.rb:42:in `authenticate'"},
    {"release path", "/srv/shop/releases/20240101120000/app/models/user.rb:42:in `authenticate'",
     "/srv/shop/current/app/models/user.rb:42:in `authenticate'"},
    {"block", "app/models/user.rb:42:in `block in authenticate'",
     "app/models/user.rb:42:in `authenticate'"},
    {"nested block", "app/models/user.rb:42:in `block (2 levels) in authenticate'",
     "app/models/user.rb:42:in `block (3 levels) in authenticate'"},
    {"rescue", "app/models/user.rb:42:in `rescue in authenticate'",
     "app/models/user.rb:42:in `authenticate'"},
    {"gem's version", "/usr/local/bundle/gems/devise-4.9.2/lib/devise/models.rb:12:in `valid?'",
     "/usr/local/bundle/ruby/3.2.0/gems/devise-4.9.3/lib/devise/models.rb:14:in `valid?'"},
    {"gem from a commit", "/x/bundler/gems/devise-3f2a9c1b77aa/lib/devise/models.rb:12:in `valid?'",
     "/x/bundler/gems/devise-a0b1c2d3e4f5/lib/devise/models.rb:12:in `valid?'"},
    {"gem as Rails writes it", "devise (4.9.2) lib/devise/models.rb:12:in `valid?'",
     "/usr/local/bundle/gems/devise-4.9.3/lib/devise/models.rb:12:in `valid?'"},
    {"top level", "bin/job.rb:3:in `<top (required)>'", "bin/job.rb:3:in '<main>'"},
    {"header", "app/a/b.rb:1:in `f': no user 1 (Denied)\n\tfrom app/a/b.rb:9:in `g'",
     "app/a/b.rb:2:in `f': no user 2 (Denied)\n\tfrom app/a/b.rb:8:in `g'"},
    {"most recent call last",
     "Traceback (most recent call last):\n\t1: from app/a/b.rb:9:in `g'\napp/a/b.rb:1:in `f': no "
     "(Denied)",
     "app/a/b.rb:1:in `f': no (Denied)\n\tfrom app/a/b.rb:9:in `g'"},
    {"cause's message",
     "app/a/b.rb:1:in `f': no (Denied)\n\tfrom app/a/b.rb:9:in `g'\napp/a/c.rb:3:in `h': user 1 "
     "(KeyError)\n\tfrom app/a/b.rb:1:in `f'",
     "app/a/b.rb:1:in `f': no (Denied)\n\tfrom app/a/b.rb:9:in `g'\napp/a/c.rb:3:in `h': user 2 "
     "(KeyError)\n\tfrom app/a/b.rb:1:in `f'"},
    {"Rails and Devise",
     "ActionController::InvalidAuthenticityToken (Can't verify CSRF token "
     "authenticity.):\n\nactionpack (7.0.4) "
     "lib/action_controller/metal/request_forgery_protection.rb:211:in "
     "`handle_unverified_request'\ndevise (4.9.2) lib/devise/controllers/helpers.rb:257:in "
     "`handle_unverified_request'\napp/controllers/sessions_controller.rb:12:in `create'",
     "ActionController::InvalidAuthenticityToken (Can't verify CSRF token "
     "authenticity.):\n\nactionpack (7.1.2) "
     "lib/action_controller/metal/request_forgery_protection.rb:287:in "
     "`handle_unverified_request'\ndevise (4.9.3) lib/devise/controllers/helpers.rb:259:in "
     "`handle_unverified_request'\napp/controllers/sessions_controller.rb:14:in `create'"},
});

constexpr auto kRubyParting = std::to_array<TracePair>({
    {"method", "app/models/user.rb:42:in `authenticate'", "app/models/user.rb:42:in `reset'"},
    {"file", "app/models/user.rb:42:in `authenticate'",
     "app/models/account.rb:42:in `authenticate'"},
    {"folder", "app/models/user.rb:42:in `authenticate'",
     "app/services/user.rb:42:in `authenticate'"},
    {"gem", "/x/gems/devise-4.9.2/lib/models.rb:12:in `valid?'",
     "/x/gems/warden-1.2.9/lib/models.rb:12:in `valid?'"},
    {"class of a method", "app/models/user.rb:42:in 'User#authenticate'",
     "app/models/user.rb:42:in 'Guest#authenticate'"},
    {"cause's class", "app/a/b.rb:1:in `f': no (Denied)\napp/a/c.rb:3:in `h': x (KeyError)",
     "app/a/b.rb:1:in `f': no (Denied)\napp/a/c.rb:3:in `h': x (TypeError)"},
});

constexpr auto kPhpMeeting = std::to_array<TracePair>({
    {"evaluated code", "#0 /var/www/login.php(3) : eval()'d code(1): check()",
     "#0 /var/www/login.php(8) : eval()'d code(2): check()"},
    {"line numbers", "#0 /var/www/app/Login.php(42): App\\Login->check()",
     "#0 /var/www/app/Login.php(57): App\\Login->check()"},
    {"arguments", "#0 /var/www/app/Login.php(42): App\\Login->check('bob', Array)",
     "#0 /var/www/app/Login.php(42): App\\Login->check('[redacted:user-id]', Object(App\\User))"},
    {"release path", "#0 /srv/releases/20240101/app/Login.php(42): App\\Login->check()",
     "#0 /var/www/html/app/Login.php(42): App\\Login->check()"},
    {"internal function", "#0 [internal function]: App\\Login->check(Object(App\\User))",
     "#0 /var/www/app/Login.php(42): App\\Login->check()"},
    {"function without a class", "#0 /var/www/login.php(42): check_login('bob')",
     "#0 /srv/releases/7/login.php(57): check_login('eve')"},
    {"end of the stack", "#0 /a/b.php(42): App\\Login->check()\n#1 {main}",
     "#0 /a/b.php(42): App\\Login->check()\n#1 {main}\n  thrown in /a/b.php on line 42"},
    {"closure of new versions", "#0 /a/b.php(42): App\\Login->{closure:App\\Login::check():12}(1)",
     "#0 /a/b.php(42): App\\Login->{closure:App\\Login::check():19}(2)"},
    {"anonymous class", "#0 /a/b.php(42): class@anonymous/srv/1/b.php:12$0->check()",
     "#0 /a/b.php(42): class@anonymous/srv/2/b.php:19$3->check()"},
    {"header",
     "PHP Fatal error:  Uncaught App\\Denied: user 1 in /a/b.php:3\nStack trace:\n#0 /a/b.php(42): "
     "App\\Login->check()",
     "App\\Denied: user 2 in /a/b.php:4\nStack trace:\n#0 /a/b.php(42): App\\Login->check()"},
    {"cause's message",
     "PDOException: user 1 in /a/b.php:3\nStack trace:\n#0 /a/b.php(4): PDO->query()\n\nNext "
     "App\\Denied: no in /a/b.php:9\nStack trace:\n#0 /a/b.php(8): App\\Login->check()",
     "PDOException: user 2 in /a/b.php:4\nStack trace:\n#0 /a/b.php(5): PDO->query()\n\nNext "
     "App\\Denied: no in /a/b.php:9\nStack trace:\n#0 /a/b.php(9): App\\Login->check()"},
    {"Laravel",
     "[2026-01-01 00:00:00] production.ERROR: Unauthenticated. {\"exception\":\"[object] "
     "(Illuminate\\\\Auth\\\\AuthenticationException(code: 0): Unauthenticated. at "
     "/var/www/vendor/laravel/framework/src/Illuminate/Auth/GuardHelpers.php:40)\n[stacktrace]\n#0 "
     "/var/www/vendor/laravel/framework/src/Illuminate/Auth/Middleware/Authenticate.php(83): "
     "Illuminate\\\\Auth\\\\Middleware\\\\Authenticate->unauthenticated(Object("
     "Illuminate\\\\Http\\\\Request), Array)\n#1 "
     "/var/www/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php(180): "
     "App\\\\Http\\\\Middleware\\\\Locale->handle(Object(Illuminate\\\\Http\\\\Request), "
     "Object(Closure))",
     "[2026-02-03 10:11:12] production.ERROR: Unauthenticated. "
     "{\"userId\":7,\"exception\":\"[object] (Illuminate\\\\Auth\\\\AuthenticationException(code: "
     "0): Unauthenticated. at "
     "/srv/releases/9/vendor/laravel/framework/src/Illuminate/Auth/"
     "GuardHelpers.php:44)\n[stacktrace]\n#0 "
     "/srv/releases/9/vendor/laravel/framework/src/Illuminate/Auth/Middleware/"
     "Authenticate.php(87): "
     "Illuminate\\\\Auth\\\\Middleware\\\\Authenticate->unauthenticated(Object("
     "Illuminate\\\\Http\\\\Request), Array)\n#1 "
     "/srv/releases/9/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php(183): "
     "App\\\\Http\\\\Middleware\\\\Locale->handle(Object(Illuminate\\\\Http\\\\Request), "
     "Object(Closure))"},
    {"Symfony",
     "#0 /app/vendor/symfony/security-http/Authentication/AuthenticatorManager.php(201): "
     "Symfony\\Component\\Security\\Http\\Authentication\\AuthenticatorManager->"
     "executeAuthenticator(Object(App\\Security\\LoginAuthenticator), "
     "Object(Symfony\\Component\\HttpFoundation\\Request))\n#1 /app/public/index.php(25): "
     "App\\Kernel->handle(Object(Symfony\\Component\\HttpFoundation\\Request))",
     "#0 /srv/shop/vendor/symfony/security-http/Authentication/AuthenticatorManager.php(187): "
     "Symfony\\Component\\Security\\Http\\Authentication\\AuthenticatorManager->"
     "executeAuthenticator(Object(App\\Security\\LoginAuthenticator), "
     "Object(Symfony\\Component\\HttpFoundation\\Request))\n#1 /srv/shop/public/index.php(31): "
     "App\\Kernel->handle(Object(Symfony\\Component\\HttpFoundation\\Request))"},
});

constexpr auto kPhpParting = std::to_array<TracePair>({
    {"method", "#0 /a/b.php(42): App\\Login->check()", "#0 /a/b.php(42): App\\Login->reset()"},
    {"class", "#0 /a/b.php(42): App\\Login->check()", "#0 /a/b.php(42): App\\Token->check()"},
    {"namespace", "#0 /a/b.php(42): App\\Web\\Login->check()",
     "#0 /a/b.php(42): App\\Api\\Login->check()"},
    {"function's file", "#0 /var/www/auth/login.php(42): check()",
     "#0 /var/www/auth/token.php(42): check()"},
    {"closure's file", "#0 /var/www/routes/web.php(42): App\\{closure}()",
     "#0 /var/www/routes/api.php(42): App\\{closure}()"},
    {"cause's class",
     "PDOException: x in /a/b.php:3\nStack trace:\n#0 /a/b.php(4): A->b()\n\nNext App\\Denied: no "
     "in /a/b.php:9\nStack trace:\n#0 /a/b.php(8): A->c()",
     "TypeError: x in /a/b.php:3\nStack trace:\n#0 /a/b.php(4): A->b()\n\nNext App\\Denied: no in "
     "/a/b.php:9\nStack trace:\n#0 /a/b.php(8): A->c()"},
    {"Laravel's previous exception",
     "#0 /a/b.php(4): A->b()\n[previous exception] [object] (PDOException(code: 1): x at "
     "/a/b.php:1)\n[stacktrace]\n#0 /a/b.php(4): A->c()",
     "#0 /a/b.php(4): A->b()\n[previous exception] [object] (TypeError(code: 1): x at "
     "/a/b.php:1)\n[stacktrace]\n#0 /a/b.php(4): A->c()"},
});

}  // namespace

LanguageCases dotnetCases() {
  return {.language = ".NET", .meeting = kDotnetMeeting, .parting = kDotnetParting};
}

LanguageCases rubyCases() {
  return {.language = "Ruby", .meeting = kRubyMeeting, .parting = kRubyParting};
}

LanguageCases phpCases() {
  return {.language = "PHP", .meeting = kPhpMeeting, .parting = kPhpParting};
}

}  // namespace auth_errors::domain
