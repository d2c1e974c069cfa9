// What private servers for tests have in common: a folder, a user that is not root, processes that
// write into a log. Blocking; any one thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace auth_errors::tests {

// A new temporary folder that the server's user owns.
std::filesystem::path makeServerFolder(const std::string& name, const std::string& user);
// Servers refuse to run as root; other users run them as themselves.
std::vector<std::string> asServerUser(const std::string& user, std::vector<std::string> command);
void giveToServerUser(const std::string& user, const std::filesystem::path& path);

// Output goes to the log's end.
pid_t spawnServer(const std::vector<std::string>& command, const std::filesystem::path& log);
// Throws with the log if it fails.
void runToEnd(const std::vector<std::string>& command, const std::filesystem::path& log);
// Sends the signal and waits until the process is gone.
void endServer(pid_t process, int signal);
// Stops a child with SIGSTOP, and returns when no thread of it runs any more.
void freezeProcess(pid_t process);
// False once it has ended; it is then waited for.
bool stillRuns(pid_t process);

std::string textOf(const std::filesystem::path& path);

// A key and a certificate of its own, made out for "localhost" and 127.0.0.1.
void makeCertificate(const std::string& user, const std::filesystem::path& key,
                     const std::filesystem::path& certificate, const std::filesystem::path& log);

}  // namespace auth_errors::tests
