// Ruby, PHP and .NET.
#include <array>

#include "tests/domain/stack/stack_hash_cases.h"

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
    {"inner exception on a separate line",
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
    {"previous location",
     "   at Acme.Db.Read()\n--- End of stack trace from previous location ---\n   at "
     "Acme.Login.Check(String u)",
     "   at Acme.Db.Read()\n--- End of stack trace from previous location where exception was "
     "thrown ---\n   at System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw()\n   at "
     "Acme.Login.Check(String u)"},
    {"awaiters of old runtimes",
     "   at Acme.Db.<ReadAsync>d__3.MoveNext()\n--- End of stack trace from previous location "
     "where exception was thrown ---\n   at "
     "System.Runtime.CompilerServices.TaskAwaiter.ThrowForNonSuccess(Task task)\n   at "
     "System.Runtime.CompilerServices.TaskAwaiter.HandleNonSuccessAndDebuggerNotification(Task "
     "task)\n   at System.Runtime.CompilerServices.TaskAwaiter`1.GetResult()\n   at "
     "Acme.Login.<CheckAsync>d__1.MoveNext()",
     "   at Acme.Db.ReadAsync(Int32 id) in /src/Db.cs:line 3\n   at Acme.Login.CheckAsync(String "
     "u) in /src/Login.cs:line 3"},
    {"German",
     "System.Exception: e\r\n   bei Acme.Login.Check(String u) in C:\\b\\Login.cs:Zeile 42.\r\n   "
     "bei Acme.Api.Post() in C:\\b\\Api.cs:Zeile 2.",
     "System.Exception: e\n   at Acme.Login.Check(String u) in /src/Login.cs:line 43\n   at "
     "Acme.Api.Post() in /src/Api.cs:line 3"},
    {"French",
     "System.Exception: e\r\n   à Acme.Login.Check(String u) dans C:\\b\\Login.cs:ligne 42\r\n   à "
     "Acme.Api.Post() dans C:\\b\\Api.cs:ligne 2",
     "System.Exception: e\n   at Acme.Login.Check(String u) in /src/Login.cs:line 43\n   at "
     "Acme.Api.Post() in /src/Api.cs:line 3"},
    {"Japanese",
     "System.Exception: e\r\n   場所 Acme.Login.Check(String u) 場所 C:\\b\\Login.cs:行 42\r\n   "
     "場所 Acme.Api.Post()",
     "System.Exception: e\n   at Acme.Login.Check(String u) in /src/Login.cs:line 43\n   at "
     "Acme.Api.Post() in /src/Api.cs:line 3"},
    {"Spanish and Russian",
     "System.Exception: e\r\n   en Acme.Login.Check(String u) en C:\\b\\Login.cs:línea 42\r\n   en "
     "Acme.Api.Post()",
     "System.Exception: e\r\n   в Acme.Login.Check(String u) в C:\\b\\Login.cs:строка 42\r\n   в "
     "Acme.Api.Post()"},
    {"Chinese, Italian",
     "System.Exception: e\r\n   在 Acme.Login.Check(String u) 位置 C:\\b\\Login.cs:行号 42\r\n   "
     "在 Acme.Api.Post()",
     "System.Exception: e\r\n   in Acme.Login.Check(String u) in C:\\b\\Login.cs:riga 42\r\n   in "
     "Acme.Api.Post()"},
    {"castle proxies",
     "   at Castle.Proxies.LoginServiceProxy.Check(String u)\n   at Acme.Api.Post()",
     "   at Castle.Proxies.LoginServiceProxy_1.Check(String u)\n   at Acme.Api.Post()"},
    {"entity framework proxies",
     "   at "
     "System.Data.Entity.DynamicProxies.User_"
     "8F3A0B1C2D3E4F5061728394A5B6C7D8E9F0A1B2C3D4E5F60718293A4B5C6D7E.get_Name()\n   at "
     "Acme.Api.Post()",
     "   at "
     "System.Data.Entity.DynamicProxies.User_"
     "AAAA0B1C2D3E4F5061728394A5B6C7D8E9F0A1B2C3D4E5F60718293A4B5C6D7E.get_Name()\n   at "
     "Acme.Api.Post()"},
    {"IL offsets of Mono",
     "  at Acme.Login.Check (System.String u) [0x00012] in <8f3a0b1c2d3e4f5061728394a5b6c7d8>:0 \n "
     " at Acme.Api.Post () [0x00000] in <8f3a0b1c2d3e4f5061728394a5b6c7d8>:0 ",
     "  at Acme.Login.Check (System.String u) [0x00022] in <aaaa0b1c2d3e4f5061728394a5b6c7d8>:0 \n "
     " at Acme.Api.Post () [0x00001] in /src/Api.cs:3 "},
    {"native aot offsets", "   at Acme.Login.Check(String) + 0x4f\n   at Acme.Api.Post() + 0x1a",
     "   at Acme.Login.Check(String) + 0x5f\n   at Acme.Api.Post() + 0x2b"},
    {"unhandled prefix",
     "Unhandled exception. System.Exception: e\n   at Acme.Login.Check(String u)",
     "System.Exception: f\n   at Acme.Login.Check(String u)"},
    {"generated routes of ASP.NET Core",
     "   at Acme.Api.Post()\n   at lambda_method5(Closure, Object, Object[])\n   at "
     "Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor.AwaitableObjectResultExecutor."
     "Execute(ActionContext actionContext)",
     "   at Acme.Api.Post()\n   at lambda_method812(Closure, Object, Object[])\n   at "
     "Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor.AwaitableObjectResultExecutor."
     "Execute(ActionContext actionContext)"},
    {"German inner exceptions",
     "System.InvalidOperationException: e ---> System.IO.IOException: x\r\n   bei Acme.Db.Read() "
     "in C:\\b\\Db.cs:Zeile 4.\r\n   --- Ende der internen Ausnahmestapelüberwachung ---\r\n   bei "
     "Acme.Login.Check(String u)",
     "System.InvalidOperationException: e ---> System.IO.IOException: x\r\n   at Acme.Db.Read() in "
     "C:\\b\\Db.cs:line 4\r\n   --- End of inner exception stack trace ---\r\n   at "
     "Acme.Login.Check(String u)"},
    {"German awaits",
     "System.Exception: e\r\n   bei Acme.Db.<ReadAsync>d__3.MoveNext()\r\n--- Ende der "
     "Stapelüberwachung vom vorhergehenden Ort, an dem die Ausnahme ausgelöst wurde ---\r\n   bei "
     "System.Runtime.CompilerServices.TaskAwaiter.ThrowForNonSuccess(Task task)\r\n   bei "
     "Acme.Login.<CheckAsync>d__3.MoveNext()",
     "System.Exception: e\r\n   at Acme.Db.ReadAsync()\r\n   at Acme.Login.CheckAsync()"},
    {"Korean, Turkish",
     "System.Exception: e\r\n   위치: Acme.Login.Check(String u) 파일 C:\\b\\Login.cs:줄 42\r\n",
     "System.Exception: e\r\n   konum: Acme.Login.Check(String u) C:\\b\\Login.cs içinde: satır "
     "42\r\n"},
    {"Polish, Portuguese",
     "System.Exception: e\r\n   w Acme.Login.Check(String u) w C:\\b\\Login.cs:wiersz 42\r\n",
     "System.Exception: e\r\n   em Acme.Login.Check(String u) na C:\\b\\Login.cs:linha 42\r\n"},
    {"configured awaits",
     "   at Acme.Db.ReadAsync()\n   at "
     "System.Runtime.CompilerServices.ConfiguredTaskAwaitable`1.ConfiguredTaskAwaiter.GetResult()"
     "\n   at Acme.Login.CheckAsync()",
     "   at Acme.Db.ReadAsync()\n   at Acme.Login.CheckAsync()"},
    {"ref and out parameters", "   at Acme.Login.Check(String& u, Int32* p)",
     "   at Acme.Login.Check(String& u)"},
    {"explicit interfaces", "   at Acme.Login.Acme.ILogin.Check(String u)",
     "   at Acme.Login.Acme.ILogin.Check(String v)"},
    {"nested types with plus", "   at Acme.Outer+Inner.Check(String u)",
     "   at Acme.Outer+Inner.Check(String v)"},
    {"minimal API lambdas",
     "   at Program.<>c__DisplayClass0_0.<<<Main>$>b__1>d.MoveNext() in /src/Program.cs:line 3",
     "   at Program.<>c__DisplayClass0_1.<<<Main>$>b__7>d.MoveNext() in /app/Program.cs:line 9"},
    {"async enumerables",
     "   at "
     "Acme.Login.<Users>d__5.System.Threading.Tasks.Sources.IValueTaskSource<System.Boolean>."
     "GetResult(Int16 token)\n   at Acme.Api.Post()",
     "   at "
     "Acme.Login.<Users>d__6.System.Threading.Tasks.Sources.IValueTaskSource<System.Boolean>."
     "GetResult(Int16 token)\n   at Acme.Api.Post()"},
    {"F# closures", "   at Acme.Login.check@12.Invoke(String u) in /src/Login.fs:line 12",
     "   at Acme.Login.check@15.Invoke(String u) in /src/Login.fs:line 15"},
    {"source links", "   at Acme.Login.Check(String u) in /_/src/Login.cs:line 42",
     "   at Acme.Login.Check(String u) in "
     "https://raw.githubusercontent.com/acme/shop/0f1e2d/src/Login.cs:line 43"},
    {"task scheduler",
     "   at A.B.C()\n   at System.Threading.ExecutionContext.RunFromThreadPoolDispatchLoop(Thread "
     "threadPoolThread, ExecutionContext executionContext, ContextCallback callback, Object "
     "state)\n--- End of stack trace from previous location ---\n   at "
     "System.Threading.Tasks.Task.ExecuteWithThreadLocal(Task& currentTaskSlot, Thread "
     "threadPoolThread)",
     "   at A.B.C()\n   at System.Threading.ExecutionContext.RunFromThreadPoolDispatchLoop(Thread "
     "t, ExecutionContext e, ContextCallback c, Object s)\n   at "
     "System.Threading.Tasks.Task.ExecuteWithThreadLocal(Task& currentTaskSlot, Thread "
     "threadPoolThread)"},
    {"grpc and middleware lambdas",
     "   at Acme.Startup.<>c.<<Configure>b__4_0>d.MoveNext() in /src/Startup.cs:line 3",
     "   at Acme.Startup.<>c.<<Configure>b__5_2>d.MoveNext() in /src/Startup.cs:line 8"},
    {"value tuples", "   at Acme.Login.Check(ValueTuple`2 pair)",
     "   at Acme.Login.Check((Int32 A, String B) pair)"},
    {"records and operators", "   at Acme.Id.op_Equality(Id a, Id b)",
     "   at Acme.Id.op_Equality(Id left, Id right)"},
    {"codes of the system's errors",
     "System.Net.Http.HttpRequestException: Connection refused (id.example:443)\n ---> "
     "System.Net.Sockets.SocketException (111): Connection refused\n   at "
     "System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs.ThrowException(SocketError error, "
     "CancellationToken cancellationToken)\n   --- End of inner exception stack trace ---\n   at "
     "System.Net.Http.HttpConnectionPool.ConnectToTcpHostAsync(String host, Int32 port)",
     "System.Net.Http.HttpRequestException: No connection could be made because the target machine "
     "actively refused it. (id.example:443)\n ---> System.Net.Sockets.SocketException (10061): No "
     "connection could be made because the target machine actively refused it.\n   at "
     "System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs.ThrowException(SocketError error, "
     "CancellationToken cancellationToken)\n   --- End of inner exception stack trace ---\n   at "
     "System.Net.Http.HttpConnectionPool.ConnectToTcpHostAsync(String host, Int32 port)"},
    {"Entity Framework and PostgreSQL",
     "Microsoft.EntityFrameworkCore.DbUpdateException: An error occurred while saving the entity "
     "changes. See the inner exception for details.\n ---> Npgsql.PostgresException (0x80004005): "
     "23505: duplicate key value violates unique constraint \"ix_users_email\"\n\nDETAIL: Key "
     "(email)=(a@b.example) already exists.\n   at "
     "Npgsql.Internal.NpgsqlConnector.<ReadMessage>g__ReadMessageLong|233_0(NpgsqlConnector "
     "connector, Boolean async, DataRowLoadingMode dataRowLoadingMode)\n   at "
     "System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder`1.StateMachineBox`1."
     "System.Threading.Tasks.Sources.IValueTaskSource<TResult>.GetResult(Int16 token)\n   at "
     "Npgsql.NpgsqlDataReader.NextResult(Boolean async, Boolean isConsuming, CancellationToken "
     "cancellationToken)\n  Exception data:\n    Severity: ERROR\n    SqlState: 23505\n   --- End "
     "of inner exception stack trace ---\n   at "
     "Microsoft.EntityFrameworkCore.Update.ReaderModificationCommandBatch.ExecuteAsync("
     "IRelationalConnection connection, CancellationToken cancellationToken)\n   at "
     "Acme.SignUp.Handler.Handle(Command request, CancellationToken cancellationToken) in "
     "/src/SignUp.cs:line 30\n   at MediatR.Behaviors.ValidationBehavior`2.Handle(TRequest "
     "request, RequestHandlerDelegate`1 next, CancellationToken cancellationToken)",
     "Microsoft.EntityFrameworkCore.DbUpdateException: An error occurred while saving the entity "
     "changes. See the inner exception for details.\n ---> Npgsql.PostgresException (0x80004005): "
     "23505: duplicate key value violates unique constraint \"ix_users_email\"\n\nDETAIL: Detail "
     "redacted as it may contain sensitive data. Specify 'Include Error Detail' in the connection "
     "string to include this information.\n   at "
     "Npgsql.Internal.NpgsqlConnector.<ReadMessage>g__ReadMessageLong|221_0(NpgsqlConnector "
     "connector, Boolean async, DataRowLoadingMode dataRowLoadingMode)\n   at "
     "System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder`1.StateMachineBox`1."
     "System.Threading.Tasks.Sources.IValueTaskSource<TResult>.GetResult(Int16 token)\n   at "
     "Npgsql.NpgsqlDataReader.NextResult(Boolean async, Boolean isConsuming, CancellationToken "
     "cancellationToken)\n  Exception data:\n    Severity: ERROR\n    SqlState: 23505\n   --- End "
     "of inner exception stack trace ---\n   at "
     "Microsoft.EntityFrameworkCore.Update.ReaderModificationCommandBatch.ExecuteAsync("
     "IRelationalConnection connection, CancellationToken cancellationToken)\n   at "
     "Acme.SignUp.Handler.Handle(Command request, CancellationToken cancellationToken) in "
     "C:\\a\\SignUp.cs:line 31\n   at MediatR.Behaviors.ValidationBehavior`2.Handle(TRequest "
     "request, RequestHandlerDelegate`1 next, CancellationToken cancellationToken)"},
    {"escaped newlines",
     "System.InvalidOperationException: no\\r\\n   at Acme.Login.Check(String user) in "
     "C:\\\\src\\\\Login.cs:line 12\\r\\n   at Acme.Web.Post()\\r\\n",
     "System.InvalidOperationException: no\n   at Acme.Login.Check(String user) in "
     "C:\\src\\Login.cs:line 14\n   at Acme.Web.Post()"},
    {"escaped as .NET does",
     "Acme.E: no\\r\\n   at Acme.Login.\\u003CCheckAsync\\u003Ed__5.MoveNext() in "
     "/src/Login.cs:line 3\\r\\n   at Acme.Cache\\u00601.Get()",
     "Acme.E: no\n   at Acme.Login.<CheckAsync>d__5.MoveNext() in /src/Login.cs:line 3\n   at "
     "Acme.Cache`1.Get()"},
    {"one line",
     "System.InvalidOperationException: no    at Acme.Login.Check(String user) in "
     "C:\\src\\Login.cs:line 12    at Acme.Web.Post()",
     "System.InvalidOperationException: no\n   at Acme.Login.Check(String user) in "
     "C:\\src\\Login.cs:line 14\n   at Acme.Web.Post()"},
    {"Unity",
     "NullReferenceException: Object reference not set to an instance of an "
     "object\nAcme.Login.Check (System.String user) (at "
     "Assets/Scripts/Login.cs:12)\nAcme.Login+<Run>d__5.MoveNext () (at "
     "Assets/Scripts/Login.cs:20)\nUnityEngine.SetupCoroutine.InvokeMoveNext "
     "(System.Collections.IEnumerator enumerator, System.IntPtr returnValueAddress) (at "
     "<0123456789abcdef0123456789abcdef>:0)",
     "NullReferenceException: Object reference not set to an instance of an "
     "object\nAcme.Login.Check (System.String user) (at "
     "Assets/Scripts/Login.cs:14)\nAcme.Login+<Run>d__7.MoveNext () (at "
     "Assets/Scripts/Login.cs:21)\nUnityEngine.SetupCoroutine.InvokeMoveNext "
     "(System.Collections.IEnumerator enumerator, System.IntPtr returnValueAddress) (at "
     "<fedcba9876543210fedcba9876543210>:0)"},
    {"Unity, compiled",
     "NullReferenceException: x\nAcme.Login.Check (System.String user) (at "
     "<00000000000000000000000000000000>:0)\nAcme.Login.Update () (at "
     "<00000000000000000000000000000000>:0)",
     "NullReferenceException: x\nAcme.Login.Check (System.String user) (at "
     "<1234567890abcdef1234567890abcdef>:0)\nAcme.Login.Update () (at "
     "<1234567890abcdef1234567890abcdef>:0)"},
    {"Unity's log",
     "Acme.Login:Check(String) (at Assets/Scripts/Login.cs:12)\nAcme.Login:Update() (at "
     "Assets/Scripts/Login.cs:20)",
     "Acme.Login:Check(String) (at Assets/Scripts/Login.cs:13)\nAcme.Login:Update() (at "
     "Assets/Scripts/Login.cs:22)"},
    {"native AOT without symbols",
     "   at Acme.Login.Check(String) + 0x1d\n   at Acme.Web.Post() + 0x2d\n   at "
     "shop!<BaseAddress>+0x1a2b3c",
     "   at Acme.Login.Check(String) + 0x2d\n   at Acme.Web.Post() + 0x3d\n   at "
     "shop!<BaseAddress>+0x1a2bff"},
    {"folder with a prefix like an escape",
     "   at Acme.Login.Check(String user) in C:\\Program Files (x86)\\nodes\\Login.cs:line 12",
     "   at Acme.Login.Check(String user) in C:\\Program Files\\nodes\\Login.cs:line 13"},
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
    {"frames swapped between exceptions",
     "Acme.E: x\n ---> Acme.F: y\n   at Acme.A.B()\n   --- End of inner exception stack trace "
     "---\n   at Acme.C.D()",
     "Acme.E: x\n ---> Acme.F: y\n   at Acme.C.D()\n   --- End of inner exception stack trace "
     "---\n   at Acme.A.B()"},
    {"digits", "   at Acme.Sha256.Compute()", "   at Acme.Sha512.Compute()"},
    {"getter and setter", "   at Acme.User.get_Name()", "   at Acme.User.set_Name(String v)"},
    {"F# functions", "   at Acme.Login.check@12.Invoke(String u)",
     "   at Acme.Login.reset@12.Invoke(String u)"},
    {"operators", "   at Acme.Id.op_Equality(Id a, Id b)",
     "   at Acme.Id.op_Inequality(Id a, Id b)"},
    {"numbered versions", "   at Acme.V1.Login.Check()", "   at Acme.V2.Login.Check()"},
    {"inner exceptions with codes",
     "A.E: m\n ---> Npgsql.PostgresException (0x80004005): 23505: x\n   at B.B()\n   --- End of "
     "inner exception stack trace ---\n   at A.A()",
     "A.E: m\n ---> Npgsql.NpgsqlException (0x80004005): x\n   at B.B()\n   --- End of inner "
     "exception stack trace ---\n   at A.A()"},
    {"Unity methods",
     "NullReferenceException: x\nAcme.Login.Check (System.String user) (at "
     "Assets/Scripts/Login.cs:12)",
     "NullReferenceException: x\nAcme.Login.Reset (System.String user) (at "
     "Assets/Scripts/Login.cs:12)"},
    {"methods of Unity's log", "Acme.Login:Check(String) (at Assets/Scripts/Login.cs:12)",
     "Acme.Login:Reset(String) (at Assets/Scripts/Login.cs:12)"},
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
    {"prerelease and platform gems",
     "/usr/local/bundle/gems/nokogiri-1.15.4-x86_64-linux/lib/nokogiri/xml.rb:3:in `parse'",
     "/usr/local/bundle/gems/nokogiri-1.16.0.rc1-arm64-darwin/lib/nokogiri/xml.rb:3:in `parse'"},
    {"quotes of 3.4 with classes",
     "/app/app/models/user.rb:12:in 'User#check'\n/app/app/models/user.rb:11:in 'User.create'",
     "/app/app/models/user.rb:12:in `check'\n/app/app/models/user.rb:11:in `create'"},
    {"core methods of 3.4",
     "/app/app/models/user.rb:12:in 'Integer#/'\n/app/app/models/user.rb:12:in 'User#check'",
     "/app/app/models/user.rb:12:in `/'\n/app/app/models/user.rb:12:in `check'"},
    {"standard library of versions",
     "/usr/local/lib/ruby/3.2.0/net/http.rb:987:in `initialize'\n/app/app/models/user.rb:1:in "
     "`check'",
     "/home/u/.rbenv/versions/3.3.1/lib/ruby/3.3.0/net/http.rb:1603:in "
     "`initialize'\n/app/app/models/user.rb:1:in `check'"},
    {"internal frames", "<internal:kernel>:187:in `loop'\n/app/app/models/user.rb:1:in `check'",
     "<internal:kernel>:168:in `loop'\n/app/app/models/user.rb:1:in `check'"},
    {"rails clean backtrace",
     "app/models/user.rb:12:in `check'\napp/controllers/login_controller.rb:3:in `create'",
     "/srv/shop/app/models/user.rb:14:in "
     "`check'\n/srv/shop/app/controllers/login_controller.rb:5:in `create'"},
    {"jruby", "org/jruby/RubyKernel.java:1052:in `require'\n/app/a/user.rb:1:in `check'",
     "org/jruby/RubyKernel.java:1064:in `require'\n/app/a/user.rb:1:in `check'"},
    {"puma and rack",
     "puma (6.4.0) lib/puma/server.rb:443:in `process_client'\nrack (3.0.8) lib/rack/etag.rb:29:in "
     "`call'\napp/models/user.rb:3:in `check'",
     "puma (6.4.2) lib/puma/server.rb:450:in `process_client'\nrack (3.0.9) lib/rack/etag.rb:29:in "
     "`call'\napp/models/user.rb:4:in `check'"},
    {"block of 3.4",
     "/app/app/models/user.rb:12:in 'block (2 levels) in "
     "User#check'\n/app/app/models/user.rb:12:in 'Array#each'",
     "/app/app/models/user.rb:12:in `block in check'\n/app/app/models/user.rb:12:in `each'"},
    {"singleton of 3.4", "/app/app/models/user.rb:12:in 'Acme::User.find_by!'",
     "/app/app/models/user.rb:12:in `find_by!'"},
    {"class body of 3.4", "/app/app/models/user.rb:12:in '<class:User>'",
     "/app/app/models/user.rb:12:in `<class:User>'"},
    {"highlighted messages",
     "app/models/user.rb:12:in `check': undefined method `x' for nil:NilClass (NoMethodError)\n\n  "
     "  user.x\n        ^^\n\tfrom app/models/user.rb:3:in `create'",
     "app/models/user.rb:13:in `check': undefined method 'x' for nil (NoMethodError)\n\n    "
     "user.x\n        ^^\n\tfrom app/models/user.rb:4:in `create'"},
    {"heroku and docker roots",
     "/app/vendor/bundle/ruby/3.2.0/gems/rack-3.0.8/lib/rack/etag.rb:29:in `call'",
     "/usr/local/bundle/gems/rack-3.1.0/lib/rack/etag.rb:31:in `call'"},
    {"files named after a part of the class",
     "/app/app/services/login_token.rb:12:in 'Acme::LoginToken::Parser#check'",
     "/app/app/services/login_token.rb:12:in `check'"},
    {"gem classes of 3.4",
     "/usr/local/bundle/gems/rack-3.1.0/lib/rack/etag.rb:31:in 'Rack::Odd#call'",
     "/usr/local/bundle/gems/rack-3.0.0/lib/rack/etag.rb:31:in `call'"},
    {"sidekiq",
     "/app/app/jobs/mail.rb:3:in "
     "`perform'\n/usr/local/bundle/gems/sidekiq-7.1.2/lib/sidekiq/processor.rb:202:in "
     "`execute_job'",
     "/app/app/jobs/mail.rb:4:in "
     "`perform'\n/usr/local/bundle/gems/sidekiq-7.2.0/lib/sidekiq/processor.rb:220:in "
     "`execute_job'"},
    {"bootsnap and zeitwerk",
     "/app/app/models/user.rb:3:in "
     "`<main>'\n<internal:/usr/local/lib/ruby/3.2.0/rubygems/core_ext/kernel_require.rb>:38:in "
     "`require'",
     "/app/app/models/user.rb:3:in "
     "`<main>'\n<internal:/usr/local/lib/ruby/3.3.0/rubygems/core_ext/kernel_require.rb>:136:in "
     "`require'"},
    {"escaped newlines",
     "/app/app/models/user.rb:12:in `check'\\n/app/app/controllers/login_controller.rb:3:in "
     "`create'\\n",
     "/srv/app/app/models/user.rb:14:in `check'\n/srv/app/app/controllers/login_controller.rb:4:in "
     "`create'"},
    {"escaped newlines of relative paths",
     "app/models/user.rb:12:in `check'\\napp/controllers/login_controller.rb:3:in `block in "
     "create'\\n",
     "app/models/user.rb:13:in `check'\napp/controllers/login_controller.rb:4:in `create'"},
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
    {"methods with signs", "/app/app/models/user.rb:12:in `valid?'",
     "/app/app/models/user.rb:12:in `valid!'"},
    {"gems with digits", "/usr/local/bundle/gems/oauth-1.0.0/lib/base.rb:3:in `validate'",
     "/usr/local/bundle/gems/oauth2-2.0.0/lib/base.rb:3:in `validate'"},
    {"digits of methods", "/app/app/models/user.rb:12:in `sha256'",
     "/app/app/models/user.rb:12:in `sha512'"},
    {"api versions", "/app/app/controllers/api/v1/login_controller.rb:12:in `create'",
     "/app/app/controllers/api/v2/login_controller.rb:12:in `create'"},
    {"callers", "/app/a/db.rb:1:in `find'\n/app/a/user.rb:3:in `create'",
     "/app/a/db.rb:1:in `find'\n/app/a/user.rb:3:in `destroy'"},
    {"blocks of methods", "/app/app/models/user.rb:12:in `block in check'",
     "/app/app/models/user.rb:12:in `block in verify'"},
    {"class bodies", "/app/app/models/user.rb:12:in `<class:User>'",
     "/app/app/models/user.rb:12:in `<class:Admin>'"},
    {"bang and query", "/app/app/models/user.rb:12:in 'User#save'",
     "/app/app/models/user.rb:12:in 'User#save!'"},
    {"operators", "/app/app/models/user.rb:12:in `=='", "/app/app/models/user.rb:12:in `<=>'"},
    {"setters", "/app/app/models/user.rb:12:in `name'", "/app/app/models/user.rb:12:in `name='"},
    {"escaped newlines, callers",
     "app/models/user.rb:12:in `check'\\napp/controllers/login_controller.rb:3:in `create'",
     "app/models/user.rb:12:in `check'\\napp/controllers/login_controller.rb:3:in `update'"},
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
    {"arguments with brackets",
     "#0 /var/www/app/Login.php(45): App\\Login->check('a) b: c(', 'd')\n#1 {main}",
     "#0 /var/www/app/Login.php(45): App\\Login->check('x')\n#1 {main}"},
    {"arguments with newlines",
     "#0 /var/www/app/Login.php(45): App\\Login->check('a\nb', 'd')\n#1 /var/www/app/Api.php(4): "
     "App\\Api->post()\n#2 {main}",
     "#0 /var/www/app/Login.php(45): App\\Login->check('x')\n#1 /var/www/app/Api.php(4): "
     "App\\Api->post()\n#2 {main}"},
    {"vendor places",
     "#0 /var/www/html/vendor/laravel/framework/src/Illuminate/Routing/Router.php(45): "
     "App\\Login->check()\n#1 {main}",
     "#0 /srv/shop/vendor/laravel/framework/src/Illuminate/Routing/Router.php(99): "
     "App\\Login->check()\n#1 {main}"},
    {"anonymous classes", "#0 /var/www/app/Login.php(45): App\\Base@anonymous->check()\n#1 {main}",
     "#0 /var/www/app/Login.php(45): App\\Base@anonymous/var/www/app/Login.php:42$0->check()\n#1 "
     "{main}"},
    {"laravel json timestamps",
     "[2024-01-02 03:04:05] production.ERROR: no 17 {\"userId\":17,\"exception\":\"[object] "
     "(RuntimeException(code: 0): no 17 at /var/www/app/Login.php:45)\n[stacktrace]\n#0 "
     "/var/www/app/Api.php(4): App\\\\Login->check(17)\n#1 {main}\n\"}",
     "[2025-01-02 03:04:05] staging.ERROR: no 18 {\"userId\":18,\"exception\":\"[object] "
     "(RuntimeException(code: 0): no 18 at /srv/app/Login.php:46)\n[stacktrace]\n#0 "
     "/srv/app/Api.php(5): App\\\\Login->check(18)\n#1 {main}\n\"}"},
    {"symfony cache container",
     "#0 /var/www/var/cache/prod/ContainerAb1Cd2E/getLoginService.php(12): "
     "App\\Login->__construct()\n#1 {main}",
     "#0 /var/www/var/cache/prod/ContainerXy9Zw8V/getLoginService.php(14): "
     "App\\Login->__construct()\n#1 {main}"},
    {"blade compiled views",
     "#0 /var/www/storage/framework/views/0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c.php(12): "
     "view_helper()\n#1 {main}",
     "#0 /var/www/storage/framework/views/aaaa2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c.php(13): "
     "view_helper()\n#1 {main}"},
    {"doctrine proxies",
     "#0 /var/www/var/cache/prod/doctrine/orm/Proxies/__CG__AppEntityUser.php(12): "
     "App\\Entity\\User->getName()\n#1 {main}",
     "#0 /srv/var/cache/dev/doctrine/orm/Proxies/__CG__AppEntityUser.php(15): "
     "App\\Entity\\User->getName()\n#1 {main}"},
    {"xdebug",
     "PHP Stack trace:\nPHP   1. {main}() /var/www/public/index.php:0\nPHP   2. App\\Api->post($id "
     "= 17) /var/www/public/index.php:3\nPHP   3. App\\Login->check($u = 'x') "
     "/var/www/app/Api.php:4",
     "PHP Stack trace:\nPHP   1. {main}() /srv/public/index.php:0\nPHP   2. App\\Api->post($id = "
     "18) /srv/public/index.php:5\nPHP   3. App\\Login->check($u = 'y') /srv/app/Api.php:6"},
    {"xdebug columns",
     "Call Stack:\n    0.0003     391232   1. {main}() /var/www/public/index.php:0\n    0.0021     "
     "402232   2. App\\Login->check($u = 'x') /var/www/app/Api.php:4",
     "Call Stack:\n    0.0005     391999   1. {main}() /srv/public/index.php:0\n    0.0099     "
     "402111   2. App\\Login->check($u = 'y') /srv/app/Api.php:4"},
    {"laravel closures",
     "#0 /var/www/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php(183): "
     "Illuminate\\Pipeline\\Pipeline->Illuminate\\Pipeline\\{closure}(Object("
     "Illuminate\\Http\\Request))\n#1 {main}",
     "#0 /srv/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php(208): "
     "Illuminate\\Pipeline\\Pipeline->Illuminate\\Pipeline\\{closure}(Object(App\\Request))\n#1 "
     "{main}"},
    {"symfony console style",
     "Exception trace:\n  at /var/www/src/Login.php:45\n App\\Login->check() at "
     "/var/www/src/Api.php:12",
     "Exception trace:\n  at /srv/src/Login.php:46\n App\\Login->check() at /srv/src/Api.php:13"},
    {"arguments that look like a frame",
     "#0 /a/b.php(4): App\\Login->check('#1 /x.php(3): y()')\n#1 {main}",
     "#0 /a/b.php(4): App\\Login->check('z')\n#1 {main}"},
    {"phar", "#0 phar:///usr/local/bin/shop.phar/src/Login.php(4): login()\n#1 {main}",
     "#0 phar:///opt/shop-1.2.phar/src/Login.php(5): login()\n#1 {main}"},
    {"windows", "#0 C:\\xampp\\htdocs\\shop\\app\\Login.php(4): check()\n#1 {main}",
     "#0 /var/www/html/shop/app/Login.php(5): check()\n#1 {main}"},
    {"previous in monolog",
     "[stacktrace]\n#0 /a/b.php(4): App\\Login->check()\n#1 {main}\n\n[previous exception] "
     "[object] (PDOException(code: 7): x at /a/c.php:4)\n[stacktrace]\n#0 /a/c.php(4): "
     "PDO->query()\n#1 {main}",
     "[stacktrace]\n#0 /b/b.php(5): App\\Login->check()\n#1 {main}\n\n[previous exception] "
     "[object] (PDOException(code: 9): y at /b/c.php:5)\n[stacktrace]\n#0 /b/c.php(5): "
     "PDO->query()\n#1 {main}"},
    {"wordpress hooks",
     "#0 /var/www/html/wp-includes/class-wp-hook.php(308): my_login('bob')\n#1 "
     "/var/www/html/wp-includes/plugin.php(205): WP_Hook->apply_filters(false, Array)\n#2 {main}",
     "#0 /srv/wp/wp-includes/class-wp-hook.php(324): my_login('al')\n#1 "
     "/srv/wp/wp-includes/plugin.php(205): WP_Hook->apply_filters(true, Array)\n#2 {main}"},
    {"escaped newlines",
     "Exception: no in /app/a.php:3\\nStack trace:\\n#0 /app/b.php(4): App\\\\Login->check()\\n#1 "
     "/app/c.php(5): App\\\\Web->post()\\n#2 {main}",
     "Exception: no in /app/a.php:4\nStack trace:\n#0 /app/b.php(5): App\\Login->check()\n#1 "
     "/app/c.php(6): App\\Web->post()\n#2 {main}"},
    {"escaped for HTML", "#0 /app/b.php(4): App\\Login-&gt;check(&#039;a&#039;)\n#1 {main}",
     "#0 /app/b.php(5): App\\Login->check('b')\n#1 {main}"},
    {"one line",
     "Exception: no in /app/a.php:3 Stack trace: #0 /app/b.php(4): App\\Login->check() #1 "
     "/app/c.php(5): App\\Web->post() #2 {main}",
     "Exception: no in /app/a.php:4\nStack trace:\n#0 /app/b.php(5): App\\Login->check()\n#1 "
     "/app/c.php(6): App\\Web->post()\n#2 {main}"},
    {"times of the error log",
     "[06-May-2024 07:08:09 UTC] PHP Stack trace:\n[06-May-2024 07:08:09 UTC] PHP   1. {main}() "
     "/app/index.php:0\n[06-May-2024 07:08:09 UTC] PHP   2. App\\Login->check() /app/index.php:12",
     "PHP Stack trace:\nPHP   1. {main}() /srv/index.php:0\nPHP   2. App\\Login->check() "
     "/srv/index.php:14"},
    {"WordPress roots",
     "#0 /var/www/html/wp-includes/class-wp-hook.php(308): Acme_Login->check('')\n#1 "
     "/var/www/html/wp-includes/class-wp-hook.php(332): WP_Hook->apply_filters('', Array)\n#2 "
     "/var/www/html/wp-includes/plugin.php(517): WP_Hook->do_action(Array)\n#3 "
     "/var/www/html/wp-settings.php(643): do_action('init')",
     "#0 /home/site/public_html/wp-includes/class-wp-hook.php(324): Acme_Login->check('')\n#1 "
     "/home/site/public_html/wp-includes/class-wp-hook.php(348): WP_Hook->apply_filters(NULL, "
     "Array)\n#2 /home/site/public_html/wp-includes/plugin.php(565): WP_Hook->do_action(Array)\n#3 "
     "/home/site/public_html/wp-settings.php(650): do_action('init')"},
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
    {"digits", "#0 /var/www/app/x.php(45): App\\Sha256->check()\n#1 {main}",
     "#0 /var/www/app/x.php(45): App\\Sha512->check()\n#1 {main}"},
    {"api versions", "#0 /var/www/app/x.php(45): App\\V1\\Login->check()\n#1 {main}",
     "#0 /var/www/app/x.php(45): App\\V2\\Login->check()\n#1 {main}"},
    {"order of previous",
     "AException: x in /var/www/app/a.php:45\nStack trace:\n#0 /var/www/app/x.php(45): "
     "App\\A->a()\n#1 {main}\n\nNext BException: x in /var/www/app/a.php:45\nStack trace:\n#0 "
     "/var/www/app/x.php(45): App\\B->b()\n#1 {main}",
     "BException: x in /var/www/app/a.php:45\nStack trace:\n#0 /var/www/app/x.php(45): "
     "App\\B->b()\n#1 {main}\n\nNext AException: x in /var/www/app/a.php:45\nStack trace:\n#0 "
     "/var/www/app/x.php(45): App\\A->a()\n#1 {main}"},
    {"static and other classes", "#0 /a/b.php(4): App\\A::check()\n#1 {main}",
     "#0 /a/b.php(4): App\\B::check()\n#1 {main}"},
    {"namespaces of functions", "#0 /a/b.php(4): App\\A\\check()\n#1 {main}",
     "#0 /a/b.php(4): App\\B\\check()\n#1 {main}"},
    {"constructor", "#0 /a/b.php(4): App\\Login->__construct()\n#1 {main}",
     "#0 /a/b.php(4): App\\Login->__invoke()\n#1 {main}"},
    {"closures of functions", "#0 /app/b.php(4): {closure:App\\Login::check():12}()",
     "#0 /app/b.php(4): {closure:App\\Login::reset():12}()"},
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
