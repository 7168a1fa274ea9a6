#!/usr/bin/env python3
"""A real Ray of two nodes in a private folder, on loopback, for tests.

  cluster.py run FOLDER      starts the nodes n1, which is the head, and n2, of one CPU each

It says `ready` and the dashboard's address. Then it takes orders on stdin, one a line, and answers
each with `done` or with what is wrong:

  kill n2        end a node as a crash would, with everything that it runs
  up n2          start it again

When stdin ends, because its owner closed it or died, everything that was started is ended: processes
that bear this cluster's own mark in their environment, and no others. Whatever it writes is inside
FOLDER, whose path must be short for the sake of Ray's sockets.

Needs ray[default] (see xtask/src/ray.rs).
"""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request

MARK = "LOOPBACK_RAY"
NODES = ["n1", "n2"]
PATIENCE = 180


class Failure(Exception):
    """One line for a person."""


class Taken(Failure):
    """A port that was free is not any more."""


def free_ports(count):
    """Ports that nobody has now. All are held until all are known, so that none is given twice."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def start_time(pid):
    """Tells a process from a later one of the same number."""
    fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] != b"Z" else None


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.token = secrets.token_hex(8)
        self.children = {}
        self.port, self.dashboard = free_ports(2)
        self.address = f"http://127.0.0.1:{self.dashboard}"

    def other_ports(self, count):
        own = {self.port, self.dashboard}
        return [port for port in free_ports(count + len(own)) if port not in own][:count]

    def mark(self, node):
        return f"{MARK}={self.token}:{node}"

    def environment(self, node):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("RAY_") and name.lower() not in ("http_proxy", "https_proxy")}
        name, _, value = self.mark(node).partition("=")
        environment.update({
            name: value,
            "RAY_health_check_initial_delay_ms": "1000",
            "RAY_health_check_period_ms": "1000",
            "RAY_health_check_timeout_ms": "10000",
            "RAY_memory_monitor_refresh_ms": "0",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_enable_open_telemetry": "0",
            "no_proxy": "127.0.0.1,localhost",
        })
        return environment

    def up(self, node):
        """Ports are free when they are drawn and may be taken before Ray has them: then others are."""
        for attempt in range(5):
            try:
                return self.attempt(node)
            except Taken as problem:
                if attempt == 4:
                    raise
                print(problem, file=sys.stderr, flush=True)
                self.end([node])

    def attempt(self, node):
        agent, grpc, runtime, metrics, client = self.other_ports(5)
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block",
                   "--node-ip-address=127.0.0.1", "--num-cpus=1", "--num-gpus=0",
                   "--object-store-memory=80000000", "--disable-usage-stats",
                   "--include-log-monitor=false",
                   f"--dashboard-agent-listen-port={agent}", f"--dashboard-agent-grpc-port={grpc}",
                   f"--runtime-env-agent-port={runtime}", f"--metrics-export-port={metrics}"]
        if node == "n1":
            command += ["--head", f"--port={self.port}", f"--temp-dir={self.folder}/r",
                        "--dashboard-host=127.0.0.1", f"--dashboard-port={self.dashboard}",
                        f"--ray-client-server-port={client}"]
        else:
            command += [f"--address=127.0.0.1:{self.port}"]
        with open(os.path.join(self.folder, node + ".out"), "ab") as out:
            self.children[node] = subprocess.Popen(
                command, env=self.environment(node), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, start_new_session=True)
        self.wait_for(node)

    def ask(self, path):
        try:
            with urllib.request.urlopen(self.address + path, timeout=10) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return None

    def alive(self):
        """How many nodes Ray counts, each with an agent, without which no log can be read."""
        answer = self.ask("/nodes?view=summary") or {}
        nodes = (answer.get("data") or {}).get("summary") or []
        return sum(node.get("raylet", {}).get("state") == "ALIVE" and "cpu" in node for node in nodes)

    def wait_for(self, node):
        end = time.monotonic() + PATIENCE
        wanted = len(self.children)
        while self.ask("/api/version") is None or self.alive() < wanted:
            if self.children[node].poll() is not None:
                words = self.last_words(node)
                raise (Taken if "port" in words else Failure)(f"{node} ended at once: {words}")
            if time.monotonic() >= end:
                raise Failure(f"{node}: not ready after {PATIENCE} s; {self.last_words(node)}")
            time.sleep(0.2)

    def last_words(self, node):
        lines = read(os.path.join(self.folder, node + ".out")).decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "it said nothing")

    def processes(self, nodes):
        """Those of some nodes, as (pid, start time)."""
        marks = {self.mark(node).encode() for node in nodes}
        found = []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            started = start_time(pid)
            if started and pid != os.getpid() and marks & set(read(f"/proc/{pid}/environ").split(b"\0")):
                found.append((pid, started))
        return found

    def end(self, nodes):
        for _ in range(100):
            left = self.processes(nodes)
            if not left:
                break
            for pid, started in left:
                with contextlib.suppress(ProcessLookupError):
                    if start_time(pid) == started:
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)
        for node in nodes:
            child = self.children.pop(node, None)
            if child:
                child.wait()

    def obey(self, order):
        verb, _, node = order.partition(" ")
        if node not in NODES or verb not in ("kill", "up"):
            raise Failure(f"no such order: {order}")
        if (verb == "up") == (node in self.children):
            raise Failure(f"{node} is {'up' if verb == 'up' else 'down'} already")
        self.up(node) if verb == "up" else self.end([node])


def run(folder):
    # Whoever ends this process ends the cluster: signals become an end of the loop below.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    cluster = Cluster(folder)
    try:
        for node in NODES:
            cluster.up(node)
        print(f"ready {cluster.address}", flush=True)
        for order in sys.stdin:
            try:
                cluster.obey(order.strip())
                print("done", flush=True)
            except Failure as problem:
                print(problem, flush=True)
    finally:
        cluster.end(NODES)


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "run":
        print(__doc__)
        return 2
    try:
        run(os.path.realpath(sys.argv[2]))
    except Failure as problem:
        print(problem, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
