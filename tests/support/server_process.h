// Shared parts of the private servers for tests: a folder, a user other than root, processes that
// log to a file. Blocking; any one thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace auth_errors::tests {

// Creates a temporary folder owned by the server's user.
std::filesystem::path makeServerFolder(const std::string& name, const std::string& user);
// Wraps the command to run as `user` if this process is root, as which servers refuse to run.
std::vector<std::string> asServerUser(const std::string& user, std::vector<std::string> command);
void giveToServerUser(const std::string& user, const std::filesystem::path& path);

// Appends the output to the log.
pid_t spawnServer(const std::vector<std::string>& command, const std::filesystem::path& log);
// Throws with the log on a failure.
void runToEnd(const std::vector<std::string>& command, const std::filesystem::path& log);
// Sends the signal and waits until the process has exited.
void endServer(pid_t process, int signal);
// Sends SIGSTOP to a child, and returns once all of its threads have stopped.
void freezeProcess(pid_t process);
// False once it has exited; it is then reaped.
bool stillRuns(pid_t process);

std::string textOf(const std::filesystem::path& path);

// Creates a key and a self-signed certificate for "localhost" and 127.0.0.1.
void makeCertificate(const std::string& user, const std::filesystem::path& key,
                     const std::filesystem::path& certificate, const std::filesystem::path& log);

}  // namespace auth_errors::tests
