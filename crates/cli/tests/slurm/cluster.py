#!/usr/bin/env python3
"""A real Slurm in a private folder, on loopback, for tests.

  cluster.py check                     can this machine run it? yes, or why not
  cluster.py run FOLDER [--accounting] [--message-timeout S]

`run` starts two nodes, n1 and n2, of one CPU each, and says `ready`. Then it takes orders on
stdin, one a line, and answers each with `done` or with what is wrong:

  stop DAEMON    ask a daemon to end (slurmctld saves its state first)
  kill DAEMON    end it as a crash would; of a node, everything that it runs too
  up DAEMON      start it again

When stdin ends, because its owner closed it or died, everything that was started is ended, with
whatever else still talks to this cluster.
Whatever it writes is inside FOLDER. Clients need only SLURM_CONF=FOLDER/slurm.conf.

Needs root and Debian's packages of Slurm, munge and MariaDB (see xtask/src/slurm.rs); from Python
the standard library only.
"""

import argparse
import contextlib
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

TOKEN = "LOOPBACK_SLURM_TOKEN"
NODES = ["n1", "n2"]
PROGRAMS = ["munged", "slurmctld", "slurmd", "sinfo", "sbatch", "squeue", "scancel", "scontrol",
            "slurmdbd", "mariadbd", "sacct", "sacctmgr"]
MARIADB_SQL = "/usr/share/mysql"
BOOTSTRAP_SQL = ["mysql_system_tables.sql", "mysql_performance_tables.sql",
                 "mysql_system_tables_data.sql"]
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
LONGEST_SOCKET = 100  # a socket's path holds 108 bytes


class Failure(Exception):
    """One line for a person."""


# What the machine has


def which(program):
    return shutil.which(program, path=PATH)


def obstacle():
    """None, or why a cluster cannot run here."""
    if not sys.platform.startswith("linux"):
        return "not Linux"
    if os.geteuid() != 0:
        return "not root"
    missing = [program for program in PROGRAMS if not which(program)]
    missing += [name for name in BOOTSTRAP_SQL if not os.path.exists(f"{MARIADB_SQL}/{name}")]
    if missing:
        return "not found: " + ", ".join(missing)
    if not host_is_loopback():
        tried = subprocess.run(["unshare", "--uts", "hostname", "localhost"],
                               stdin=subprocess.DEVNULL, capture_output=True, env={"PATH": PATH})
        if tried.returncode != 0:
            return "the host's own name is not loopback, and unshare --uts fails"
    return None


def host_is_loopback():
    """Slurm binds to what the host's own name resolves to, once told not to bind to everything."""
    try:
        return socket.gethostbyname(socket.gethostname()).startswith("127.")
    except OSError:
        return False


def free_ports(count):
    """Below the kernel's range for outgoing connections, so that none of those takes one."""
    held = []
    try:
        while len(held) < count:
            candidate = socket.socket()
            try:
                candidate.bind(("0.0.0.0", random.SystemRandom().randrange(15000, 32000)))
                held.append(candidate)
            except OSError:
                candidate.close()
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


# Processes


def start_time(pid):
    """The kernel's start time of a live process, or None (gone, or a zombie)."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            return f.read().split(b"\0")
    except OSError:
        return []


def slurm_helper_of(pid, folder):
    """Whether it is a slurmstepd or slurmscriptd of the cluster in this folder.

    Both write their title over their environment, so no mark is left to read there; both keep the
    working folder of the daemon that started them.
    """
    try:
        with open(f"/proc/{pid}/comm") as f:
            helper = f.read().strip() in ("slurmstepd", "slurmscriptd")
        return helper and os.readlink(f"/proc/{pid}/cwd") == folder
    except OSError:
        return False


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


# The cluster


class Cluster:
    def __init__(self, folder, options):
        self.folder = folder
        self.options = options
        self.token = secrets.token_hex(8)
        self.name = "loop" + self.token
        self.password = secrets.token_hex(16)
        loopback = host_is_loopback()
        self.own_uts = not loopback
        self.host = socket.gethostname().split(".")[0] if loopback else "localhost"
        names = ["slurmctld", "slurmdbd", "mariadbd"] + NODES
        self.ports = dict(zip(names, free_ports(len(names))))
        self.children = {}

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def daemons(self):
        """In the order of starting."""
        accounting = ["mariadbd", "slurmdbd"] if self.options.accounting else []
        return ["munged"] + accounting + ["slurmctld"] + NODES

    def environment(self):
        return {"PATH": PATH, "LC_ALL": "C", "HOME": self.folder, TOKEN: self.token,
                "SLURM_CONF": self.path("slurm.conf")}

    def client(self, *command, seconds=10):
        """Runs one of Slurm's clients: (status, stdout, stderr), status None past the time."""
        try:
            done = subprocess.run(command, env=self.environment(), stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None, "", f"{command[0]} took more than {seconds} s"
        return done.returncode, done.stdout, done.stderr

    # Files

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w") as f:
            os.fchmod(f.fileno(), mode)
            f.write(text)

    def write_files(self):
        for name in ["log", "munge", "state", "run", "db"] + [f"spool/{node}" for node in NODES]:
            os.makedirs(self.path(name))
        longest = self.path("spool", "n1", "n1_4294967295.4294967295.0")
        if len(longest) > LONGEST_SOCKET:
            raise Failure(f"{self.folder} is too long a path for Slurm's sockets")
        with open(self.path("munge", "key"), "wb") as f:
            os.fchmod(f.fileno(), 0o400)
            f.write(secrets.token_bytes(128))
        self.write("slurm.conf", self.slurm_conf())
        # Written only so that no other is read: none of the plugins chosen needs a cgroup.
        self.write("cgroup.conf", "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        if self.options.accounting:
            self.write("slurmdbd.conf", self.slurmdbd_conf(), 0o600)
            self.write("my.cnf", self.my_cnf(), 0o600)
            self.write("users.sql", self.users_sql(), 0o600)

    def slurm_conf(self):
        folder = self.folder
        lines = [
            f"ClusterName={self.name}",
            f"SlurmctldHost={self.host}(127.0.0.1)",
            f"SlurmctldPort={self.ports['slurmctld']}",
            "SlurmUser=root",
            "SlurmdUser=root",
            "AuthType=auth/munge",
            "CredType=cred/munge",
            f"AuthInfo=socket={folder}/munge/socket",
            # Else the daemons would listen to the whole world.
            "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny",
            f"StateSaveLocation={folder}/state",
            f"SlurmdSpoolDir={folder}/spool/%n",
            f"SlurmctldPidFile={folder}/run/slurmctld.pid",
            f"SlurmdPidFile={folder}/run/slurmd-%n.pid",
            f"SlurmctldLogFile={folder}/log/slurmctld.log",
            f"SlurmdLogFile={folder}/log/%n.log",
            "ProctrackType=proctrack/pgid",
            "TaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none",
            "SwitchType=switch/none",
            "MpiDefault=none",
            "MailProg=/bin/true",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_CPU",
            "SchedulerType=sched/backfill",
            "SchedulerParameters=batch_sched_delay=1,sched_interval=5,bf_interval=5",
            # Nodes claim what is written here, whatever the machine has.
            "SlurmdParameters=config_overrides",
            "ReturnToService=2",
            f"MessageTimeout={self.options.message_timeout}",
            "KillWait=5",
            "UnkillableStepTimeout=15",
        ]
        if self.options.accounting:
            lines += [
                "AccountingStorageType=accounting_storage/slurmdbd",
                "AccountingStorageHost=127.0.0.1",
                f"AccountingStoragePort={self.ports['slurmdbd']}",
                # AuthInfo does not reach this connection; the munge socket goes here.
                f"AccountingStoragePass={folder}/munge/socket",
            ]
        lines += [f"NodeName={node} NodeHostname={self.host} NodeAddr=127.0.0.1 "
                  f"Port={self.ports[node]} CPUs=1 RealMemory=1000 State=UNKNOWN"
                  for node in NODES]
        lines.append(f"PartitionName=main Nodes={','.join(NODES)} Default=YES "
                     "MaxTime=INFINITE State=UP")
        return "\n".join(lines) + "\n"

    def slurmdbd_conf(self):
        return "\n".join([
            "AuthType=auth/munge",
            f"AuthInfo=socket={self.folder}/munge/socket",
            "CommunicationParameters=NoInAddrAny",
            f"DbdHost={self.host}",
            "DbdAddr=127.0.0.1",
            f"DbdPort={self.ports['slurmdbd']}",
            "SlurmUser=root",
            f"PidFile={self.folder}/run/slurmdbd.pid",
            f"LogFile={self.folder}/log/slurmdbd.log",
            "StorageType=accounting_storage/mysql",
            "StorageHost=127.0.0.1",
            f"StoragePort={self.ports['mariadbd']}",
            "StorageUser=slurm",
            f"StoragePass={self.password}",
            "StorageLoc=accounts",
        ]) + "\n"

    def my_cnf(self):
        return "\n".join([
            "[mysqld]",
            "user=root",
            f"datadir={self.folder}/db",
            f"socket={self.folder}/run/mariadb.sock",
            f"pid-file={self.folder}/run/mariadb.pid",
            f"log-error={self.folder}/log/mariadbd.log",
            f"tmpdir={self.folder}/run",
            "bind-address=127.0.0.1",
            f"port={self.ports['mariadbd']}",
            "skip-name-resolve",
            "skip-log-bin",
            "innodb-buffer-pool-size=32M",
            "innodb-log-file-size=16M",
            "innodb-flush-log-at-trx-commit=0",
            "innodb-lock-wait-timeout=900",
            "innodb-flush-method=nosync",
            "max-connections=20",
        ]) + "\n"

    def users_sql(self):
        # One statement a line: that is how mariadbd reads an init file.
        return ("CREATE DATABASE IF NOT EXISTS accounts;\n"
                f"CREATE USER IF NOT EXISTS slurm@'127.0.0.1' IDENTIFIED BY '{self.password}';\n"
                "GRANT ALL ON accounts.* TO slurm@'127.0.0.1';\n")

    def make_database(self):
        """What mariadb-install-db does, without the client package that it wants."""
        sql = "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n"
        for name in BOOTSTRAP_SQL:
            with open(os.path.join(MARIADB_SQL, name)) as f:
                sql += f.read() + "\n"
        sql += "DELETE FROM global_priv;\n"  # root without a password; users.sql adds the one user
        made = subprocess.run(
            [which("mariadbd"), "--defaults-file=" + self.path("my.cnf"), "--bootstrap",
             "--skip-networking"],
            input=sql, env=self.environment(), text=True, capture_output=True, timeout=120)
        if made.returncode != 0:
            raise Failure("mariadbd --bootstrap failed: " + self.last_words("mariadbd"))

    # Daemons

    def command(self, name):
        if name == "munged":
            # --force: it would refuse a folder that only root may enter.
            return ["munged", "--foreground", "--force", "--num-threads=2",
                    "--socket=" + self.path("munge", "socket"),
                    "--key-file=" + self.path("munge", "key"),
                    "--pid-file=" + self.path("munge", "pid"),
                    "--log-file=" + self.path("log", "munged.log"),
                    "--seed-file=" + self.path("munge", "seed")]
        if name == "mariadbd":
            return ["mariadbd", "--defaults-file=" + self.path("my.cnf"),
                    "--init-file=" + self.path("users.sql")]
        if name == "slurmdbd":
            return ["slurmdbd", "-D"]
        if name == "slurmctld":
            return ["slurmctld", "-D", "-f", self.path("slurm.conf")]
        return ["slurmd", "-D", "-N", name, "-f", self.path("slurm.conf")]

    def up(self, name):
        """Starts one daemon and waits until it answers."""
        if name == "mariadbd":
            self.make_database()
        command = self.command(name)
        command[0] = which(command[0])
        if self.own_uts:  # execs all the way: the process stays the daemon's
            command = [which("unshare"), "--uts", "/bin/sh", "-c",
                       'hostname localhost && exec "$@"', "sh"] + command
        with open(self.path("log", name + ".out"), "ab") as out:
            self.children[name] = subprocess.Popen(
                command, env=self.environment(), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, start_new_session=True)
        if name == "munged":
            self.wait_for("munged", 20, self.munge_answers)
        elif name in ("mariadbd", "slurmdbd"):
            self.wait_for(name, 60, lambda: self.accepts(self.ports[name]))
        elif name == "slurmctld":
            self.wait_for(name, 30, lambda: self.client("scontrol", "ping")[0] == 0)
        if name == "slurmdbd":
            status, out, err = self.client("sacctmgr", "-i", "add", "cluster", self.name,
                                           seconds=30)
            if status != 0:
                raise Failure(f"sacctmgr add cluster: {(err or out).strip()}")

    def munge_answers(self):
        with socket.socket(socket.AF_UNIX) as s:
            try:
                s.connect(self.path("munge", "socket"))
                return True
            except OSError:
                return False

    def accepts(self, port):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            return False

    def wait_for(self, what, seconds, ready):
        """Until ready() is true; fails early when a daemon has ended."""
        end = time.monotonic() + seconds
        while not ready():
            for name, child in self.children.items():
                if child.poll() is not None:
                    raise Failure(f"{name} ended at once: {self.last_words(name)}")
            if time.monotonic() >= end:
                raise Failure(f"{what}: not ready after {seconds} s; {self.last_words(what)}")
            time.sleep(0.1)

    def last_words(self, name):
        for file in (self.path("log", name + ".out"), self.path("log", name + ".log")):
            try:
                with open(file, errors="replace") as f:
                    lines = [line.strip() for line in f if line.strip()]
            except OSError:
                continue
            telling = [line for line in lines if "error" in line.lower() or "fatal" in line.lower()]
            if lines:
                return (telling or lines)[-1]
        return "it said nothing"

    def end(self, names, number):
        """Ends daemons by a signal, and by SIGKILL those that do not heed it."""
        children = [self.children.pop(name) for name in names if name in self.children]
        for number, seconds in ((number, 10), (signal.SIGKILL, 5)):
            for child in children:
                if child.poll() is None:
                    child.send_signal(number)
            end = time.monotonic() + seconds
            while any(child.poll() is None for child in children) and time.monotonic() < end:
                time.sleep(0.02)

    # What the daemons started outlives them, and is no child of ours

    def offspring(self):
        """Processes with this cluster's marks, as (pid, start time), Slurm's helpers first."""
        # The last of these finds clients that somebody left waiting.
        marks = {mark.encode() for mark in (f"{TOKEN}={self.token}",
                                            f"SLURM_CLUSTER_NAME={self.name}",
                                            f"SLURM_CONF={self.path('slurm.conf')}")}
        own = {os.getpid()} | {child.pid for child in self.children.values()}
        helpers, tasks = [], []
        for pid in set(map(int, filter(str.isdigit, os.listdir("/proc")))) - own:
            started = start_time(pid)
            if started is None:
                continue
            if slurm_helper_of(pid, self.folder):
                helpers.append((pid, started))
            elif not marks.isdisjoint(environment_of(pid)):
                tasks.append((pid, started))
        return helpers + tasks

    def offspring_on(self, node):
        """Those of one node. A helper is a node's if a task of that node is its child."""
        mark = f"SLURMD_NODENAME={node}".encode()
        everything = self.offspring()
        tasks = {pid for pid, _ in everything if mark in environment_of(pid)}
        parents = {parent_of(pid) for pid in tasks}
        return [one for one in everything if one[0] in tasks | parents]

    def kill_all(self, processes):
        """Kills what processes() names, until it names nothing."""
        for _ in range(20):
            left = processes()
            if not left:
                return
            for pid, started in left:
                with contextlib.suppress(ProcessLookupError):
                    if start_time(pid) == started:
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)
        raise Failure("still running: " + " ".join(str(pid) for pid, _ in left))

    # Orders

    def start(self):
        self.write_files()
        for name in self.daemons():
            self.up(name)
        self.wait_for("the nodes", 60, self.idle)

    def idle(self):
        status, out, _ = self.client("sinfo", "--noheader", "--Node", "--format=%N %T")
        return status == 0 and sorted(set(out.split("\n")) - {""}) == [f"{n} idle" for n in NODES]

    def finish(self):
        for group in (NODES, ["slurmctld"], ["slurmdbd"], ["mariadbd"], ["munged"]):
            self.end(group, signal.SIGTERM)
        self.kill_all(self.offspring)

    def obey(self, order):
        verb, _, name = order.partition(" ")
        if name not in self.daemons() or verb not in ("stop", "kill", "up"):
            raise Failure(f"no such order: {order}")
        if (verb == "up") == (name in self.children):
            raise Failure(f"{name} is {'up' if verb == 'up' else 'down'} already")
        if verb == "up":
            self.up(name)
        elif verb == "stop":
            self.end([name], signal.SIGTERM)
        else:
            self.end([name], signal.SIGKILL)
            if name in NODES:
                self.kill_all(lambda: self.offspring_on(name))


def run(options):
    reason = obstacle()
    if reason:
        raise Failure("cannot run here: " + reason)
    # Whoever ends this process ends the cluster: signals become an end of the loop below.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    cluster = Cluster(os.path.realpath(options.folder), options)
    try:
        cluster.start()
        print("ready", flush=True)
        for order in sys.stdin:
            try:
                cluster.obey(order.strip())
                print("done", flush=True)
            except Failure as problem:
                print(problem, flush=True)
    finally:
        cluster.finish()


def main():
    parser = argparse.ArgumentParser(description="A real Slurm in a private folder, on loopback.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("check")
    p = verbs.add_parser("run")
    p.add_argument("folder")
    p.add_argument("--accounting", action="store_true", help="with slurmdbd and MariaDB")
    p.add_argument("--message-timeout", type=int, default=10,
                   help="about how long a client tries to reach a controller that is down")
    options = parser.parse_args()
    try:
        if options.verb == "check":
            reason = obstacle()
            print(reason or "yes")
            return 1 if reason else 0
        run(options)
    except Failure as problem:
        print(problem, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
