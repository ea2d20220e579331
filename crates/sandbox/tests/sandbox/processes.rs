//! Processes as the server sees them: their rights and their ends. No process outlives its run, and no run its server.
//!
//! Each test starts itself again in a process of its own, whose children are those of its sandbox alone.

use std::{
    future::Future,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    time::Duration,
};

use buildtrack_sandbox::{
    End, Sandbox,
    limits::{CPU_SECONDS, MEMORY_BYTES, OPEN_FILES, STACK_BYTES},
};

use crate::harness::settings;

/// Its size tells from outside that the answer is running, no longer the launcher or the driver. It works until a test has seen it, because
/// its server ends a run that sleeps; without a server, nothing would end its sleep.
const IDLE: &str = "
import time
sign = bytearray(100 << 20)
def f():
    while time.process_time() < 3: pass
    time.sleep(60)
";
/// The variable that names the test which a process runs alone.
const ALONE: &str = "BUILDTRACK_SANDBOX_TEST";

#[tokio::test]
async fn a_run_that_is_dropped_is_killed_and_reaped() {
    if !is_alone("processes::a_run_that_is_dropped_is_killed_and_reaped") {
        return;
    }
    let sandbox = Sandbox::detect(&settings()).await.unwrap();
    assert!(children(std::process::id()).is_empty());
    let seen = tokio::select! {
        outcome = sandbox.run(IDLE, "f", &[&[]]) => panic!("{outcome:?}"),
        child = idle_run() => child,
    };
    until(|| !is_process(seen)).await;
}

#[tokio::test]
async fn a_run_that_ends_is_reaped() {
    if !is_alone("processes::a_run_that_ends_is_reaped") {
        return;
    }
    let sandbox = Sandbox::detect(&settings()).await.unwrap();
    for (source, end) in [
        ("def f(): return 1", End::Finished),
        ("import os\ndef f(): os._exit(1)", End::Exited),
        ("import os, time\ndef f():\n    os.close(3)\n    time.sleep(60)", End::Exited),
        ("import os\nos.closerange(0, 64)\nwhile True: pass", End::Exited),
        ("def f(): return 'x' * 10**6", End::OutputLimit),
    ] {
        let outcome = sandbox.run(source, "f", &[&[]]).await.unwrap();
        assert_eq!((outcome.end, children(std::process::id())), (end, vec![]), "{source}");
    }
}

#[tokio::test]
async fn a_run_ends_with_its_server() {
    const NAME: &str = "processes::a_run_ends_with_its_server";
    if std::env::var(ALONE).as_deref() == Ok(NAME) {
        let sandbox = Sandbox::detect(&settings()).await.unwrap();
        let run = sandbox.run(IDLE, "f", &[&[]]);
        let tell = async {
            let child = idle_run().await;
            std::io::stderr().write_all(format!("run {child}\n").as_bytes()).unwrap();
            std::future::pending::<()>().await;
        };
        tokio::join!(run, tell).0.unwrap();
        return;
    }
    let mut server = alone(NAME);
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines().map_while(Result::ok);
    let run = lines.find_map(|line| line.strip_prefix("run ")?.parse::<u32>().ok()).unwrap();
    assert!(is_process(run));
    server.kill().unwrap();
    server.wait().unwrap();
    until(|| !is_process(run)).await;
}

/// The kernel's view of the process, which the answer cannot read.
#[tokio::test]
async fn a_run_has_no_capabilities_and_every_limit() {
    if !is_alone("processes::a_run_has_no_capabilities_and_every_limit") {
        return;
    }
    let sandbox = Sandbox::detect(&settings()).await.unwrap();
    let read = |pid: u32, file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let run = async {
        let run = idle_run().await;
        (read(run, "status"), read(run, "limits"), read(run, "environ"))
    };
    let (status, limits, environment) = tokio::select! {
        outcome = sandbox.run(IDLE, "f", &[&[]]) => panic!("{outcome:?}"),
        run = run => run,
    };
    assert_eq!(environment, "");
    for line in ["CapInh:\t0", "CapPrm:\t0", "CapEff:\t0", "CapAmb:\t0", "NoNewPrivs:\t1", "Seccomp:\t2"] {
        let line = line.replace(":\t0", ":\t0000000000000000");
        assert!(status.contains(&format!("{line}\n")), "{line}\n{status}");
    }
    for (limit, soft, hard) in [
        ("Max cpu time", CPU_SECONDS, CPU_SECONDS + 1),
        ("Max address space", MEMORY_BYTES, MEMORY_BYTES),
        ("Max stack size", STACK_BYTES, STACK_BYTES),
        ("Max open files", OPEN_FILES, OPEN_FILES),
        ("Max file size", 0, 0),
        ("Max core file size", 1, 1),
        ("Max processes", 0, 0),
        ("Max locked memory", 0, 0),
    ] {
        let line = limits.lines().find_map(|line| line.strip_prefix(limit)).unwrap();
        let bounds: Vec<_> = line.split_whitespace().take(2).map(ToOwned::to_owned).collect();
        assert_eq!(bounds, [soft.to_string(), hard.to_string()], "{limit}");
    }
}

/// Whether this process runs the test alone. Otherwise starts one that does, and asserts that it succeeds.
fn is_alone(test: &str) -> bool {
    if std::env::var(ALONE).as_deref() == Ok(test) {
        return true;
    }
    let output = alone(test).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    false
}

fn alone(test: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", test]).env(ALONE, test);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The children of a process, those that were not reaped included.
fn children(parent: u32) -> Vec<u32> {
    let own = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(") ")?;
        (fields.split(' ').nth(1)? == parent.to_string()).then_some(pid)
    };
    let processes = std::fs::read_dir("/proc").unwrap();
    processes.filter_map(|entry| own(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

/// The process in which [`IDLE`] runs.
async fn idle_run() -> u32 {
    let is_idle = |child: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
        let size =
            status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")?.parse().ok());
        // Before it starts the launcher, a child is a copy of this process, which may be as large, but is not confined.
        size.is_some_and(|kilobytes: u32| kilobytes > 100 << 10) && status.contains("Seccomp:\t2")
    };
    let find = || children(std::process::id()).into_iter().find(is_idle);
    until(|| find().is_some()).await;
    find().unwrap()
}

fn is_process(pid: u32) -> bool {
    std::path::Path::new("/proc").join(pid.to_string()).exists()
}

/// Waits for a fact, up to the limit of the test's patience.
fn until(fact: impl Fn() -> bool) -> impl Future<Output = ()> {
    let wait = async move {
        while !fact() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    async { tokio::time::timeout(Duration::from_secs(30), wait).await.unwrap() }
}
