/*
 * The steps of a child before its program, without an interpreter: its session, its control groups, its user,
 * limits, directory and files; then it is the program. `starting.py` beside this file takes the same steps in
 * the same order, and says why one fails: here a step that fails, or that is not quite plain, ends the process
 * with a "!" on file 3, and the supervisor starts the job by a fork.
 *
 * Arguments, in this order; counts stand before what they count:
 *   supervisor                           its process
 *   user group groups group...       -1: keep the present user
 *   files file...                    of control groups: where a 0 puts this process into one
 *   processors                       to which it keeps, as 0,2,3; empty: all
 *   core                             the hard limit of core files, -1 for none
 *   directory
 *   input output adds error adds     paths; an empty error: where the output goes; adds: 1 appends
 *   places place...                  where the program may be
 *   argument...                      its arguments, its name first
 * The starter writes "+" to file 3 when the process is in its groups; file 4 gives leave to go on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TELLS = 3, GOES = 4, MOST_GROUPS = 65536 };

extern char **environ;
static char **next;

static void give_up(void)
{
	(void)!write(TELLS, "!", 1);
	_exit(126);
}

static void want(int met)
{
	if (!met)
		give_up();
}

static char *word(void)
{
	want(*next != NULL);
	return *next++;
}

static long number(void)
{
	char *end, *text = word();
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	want(*text && !*end && !errno);
	return value;
}

static void enter_groups(void)
{
	for (long left = number(); left > 0; left--) {
		int file = open(word(), O_WRONLY | O_CLOEXEC);

		want(file >= 0 && write(file, "0", 1) == 1);
		close(file);
	}
}

static void become(long user, long group, long count, const gid_t *groups)
{
	if (user < 0)
		return;
	want(!setgroups(count, groups));
	want(!setresgid(group, group, group));
	want(!setresuid(user, user, user));
	want(!user || setresuid(0, 0, 0));
}

static void keep_to(char *processors)
{
	cpu_set_t set;

	if (!*processors)
		return;
	CPU_ZERO(&set);
	for (char *end = processors; *processors; processors = end) {
		long one = strtol(processors, &end, 10);

		want(end != processors && one >= 0 && one < CPU_SETSIZE && (!*end || *end == ','));
		CPU_SET(one, &set);
		end += *end == ',';
	}
	want(!sched_setaffinity(0, sizeof set, &set));
}

static void limit_core_files(long hard)
{
	struct rlimit core = {0, hard < 0 ? RLIM_INFINITY : (rlim_t)hard};

	want(!setrlimit(RLIMIT_CORE, &core));
}

/* posix_spawn ignores the two signals that the C library keeps for itself, and its sigaction refuses them. */
static void default_signals(void)
{
	static const unsigned long nothing[16];

	for (int number = 32; number <= 33; number++)
		syscall(SYS_rt_sigaction, number, nothing, NULL, 8);
}

/* A regular file, or /dev/null, that blocks from now on. */
static int plain(int file, const char *path)
{
	struct stat what;
	int flags;

	want(file >= 0 && !fstat(file, &what));
	want(S_ISREG(what.st_mode) || !strcmp(path, "/dev/null"));
	flags = fcntl(file, F_GETFL);
	want(flags >= 0 && !fcntl(file, F_SETFL, flags & ~O_NONBLOCK));
	return file;
}

static void open_input(const char *path)
{
	int file = plain(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), path);

	want(dup2(file, 0) == 0);
}

static void open_output(const char *path, long appends, int as)
{
	int how = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_CREAT;
	int file = plain(open(path, appends ? how | O_APPEND : how, 0666), path);

	if (!appends && strcmp(path, "/dev/null"))
		want(!ftruncate(file, 0));
	want(dup2(file, as) == as);
}

int main(int count, char **arguments)
{
	static gid_t groups[MOST_GROUPS];
	long supervisor, user, group, many, appends;
	char *input, *output, *error, **places, leave;

	(void)count;
	next = arguments + 1;
	fcntl(TELLS, F_SETFD, FD_CLOEXEC);
	fcntl(GOES, F_SETFD, FD_CLOEXEC);
	default_signals();
	want(setsid() >= 0);
	supervisor = number();
	user = number();
	group = number();
	many = number();
	want(many >= 0 && many <= MOST_GROUPS);
	for (long i = 0; i < many; i++)
		groups[i] = number();
	enter_groups();
	want(write(TELLS, "+", 1) == 1);
	if (read(GOES, &leave, 1) != 1)
		_exit(127);
	become(user, group, many, groups);
	keep_to(word());
	want(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	want(!prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
	if (getppid() != supervisor)
		_exit(127);
	umask(022);
	limit_core_files(number());
	want(!chdir(word()));
	input = word();
	output = word();
	appends = number();
	open_input(input);
	open_output(output, appends, 1);
	error = word();
	appends = number();
	if (*error)
		open_output(error, appends, 2);
	else
		want(dup2(1, 2) == 2);
	many = number();
	places = next;
	for (long i = 0; i < many; i++)
		word();
	want(*next != NULL);
	for (long i = 0; i < many; i++)
		execve(places[i], next, environ);
	give_up();
	return 0;
}
