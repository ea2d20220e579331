//! Attacks: what an answer tries against the server, its machine and its own verdict.

use buildtrack_sandbox::End;
use serde_json::{Value, json};

use crate::harness::{call, refused, run, value};

#[tokio::test]
async fn the_network_is_out_of_reach() {
    for statements in [
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "import socket; socket.socket(socket.AF_INET6, socket.SOCK_STREAM)",
        "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
        "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "import socket; socket.socketpair()",
        "import socket; socket.create_server(('127.0.0.1', 0))",
    ] {
        refused(statements).await;
    }
}

#[tokio::test]
async fn files_outside_of_python_cannot_be_read() {
    for path in
        ["/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/self/maps", "/proc/self/mem", "/proc/stat"]
    {
        refused(&format!("open({path:?}, 'rb')")).await;
    }
    let parent = std::process::id();
    for path in ["environ", "cmdline", "maps", "status", "fd/0", "root/etc/passwd"] {
        refused(&format!("open('/proc/{parent}/{path}', 'rb')")).await;
    }
    for folder in ["/", "/etc", "/proc", "/proc/self/fd", "/usr", "."] {
        refused(&format!("import os\nos.listdir({folder:?})")).await;
    }
    let own = file!().to_owned();
    let own = std::fs::canonicalize(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(own)).unwrap();
    refused(&format!("open({own:?})")).await;
    refused(&format!("import os\nos.readlink('/proc/{parent}/exe')")).await;
}

#[tokio::test]
async fn packages_that_the_operator_installed_cannot_be_read() {
    let source = "
import os, sys
def f():
    read = []
    for folder in sys.path:
        for packages in ('site-packages', 'dist-packages'):
            try:
                read += os.listdir(os.path.join(folder, packages))
                read += [open(os.path.join(folder, packages, name)).name for name in read]
            except (FileNotFoundError, PermissionError, IsADirectoryError):
                read = []
    return read, [folder for folder in sys.path if 'packages' in folder]
";
    assert_eq!(value(source).await, json!([[], []]));
}

#[tokio::test]
async fn nothing_can_be_written() {
    for statements in [
        "open('x', 'w')",
        "open('x', 'a')",
        "open('/dev/null', 'w')",
        "import tempfile\ntempfile.TemporaryFile()",
        "import os\nos.mkdir('x')",
        "import os\nos.mkfifo('x')",
        "import os\nos.symlink('/etc', 'x')",
        "import os\nos.memfd_create('x')",
        "import os\nos.chdir('/')",
        "import os\nos.umask(0)",
        "import os\nos.pipe()",
    ] {
        refused(statements).await;
    }
    let library = "import os, json\nos.open(json.__file__, os.O_RDWR)";
    let source = format!("def f():\n    {}", library.replace('\n', "\n    "));
    assert_eq!(call(&source).await.end, End::Raised);
}

#[tokio::test]
async fn no_process_and_no_thread_can_be_started() {
    for statements in [
        "import os\nif os.fork() == 0: os._exit(0)",
        "import subprocess\nsubprocess.run(['/bin/true'])",
        "import os\nif os.system('true'): raise OSError",
        "import os\nos.posix_spawn('/bin/true', ['true'], {})",
        "import os\nos.execv('/bin/true', ['true'])",
        "import threading\nthreading.Thread(target=int).start()",
        "import multiprocessing\nmultiprocessing.Process(target=int).start()",
        "import _thread\n_thread.start_new_thread(int, ())",
        "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor(1).submit(int).result()",
    ] {
        refused(statements).await;
    }
}

#[tokio::test]
async fn no_process_can_be_signalled_or_traced() {
    let parent = std::process::id();
    for statements in [
        &format!("import os\nos.kill({parent}, 0)"),
        "import os\nos.kill(os.getpid(), 0)",
        "import os\nos.killpg(0, 0)",
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 100)",
        "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
        "import os\nos.nice(0)",
        "import os\nos.sched_setaffinity(0, os.sched_getaffinity(0))",
        "import fcntl\nfcntl.fcntl(0, fcntl.F_SETOWN, 0)",
    ] {
        refused(statements).await;
    }
}

/// `ctypes` calls the C library without Python's checks, as machine code would.
#[tokio::test]
async fn machine_code_meets_the_same_restrictions() {
    let source = "
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def f(name, *arguments):
    arguments = [a.encode() if isinstance(a, str) else a for a in arguments]
    result = getattr(libc, name)(*arguments)
    return [result, errno.errorcode.get(ctypes.get_errno())]
";
    let refused = json!([-1, "ENOSYS"]);
    let calls: &[&[Value]] = &[
        &[json!("socket"), json!(2), json!(1), json!(0)],
        &[json!("fork")],
        &[json!("ptrace"), json!(0), json!(0), json!(0), json!(0)],
        &[json!("unshare"), json!(0x1000_0000)],
        &[json!("mount"), json!("none"), json!("/"), json!("tmpfs"), json!(0), json!(0)],
        &[json!("chroot"), json!("/")],
        &[json!("chmod"), json!("/"), json!(0o777)],
        &[json!("chown"), json!("/"), json!(0), json!(0)],
        &[json!("truncate"), json!("x"), json!(0)],
        &[json!("setuid"), json!(0)],
        &[json!("kill"), json!(-1), json!(0)],
        &[json!("prctl"), json!(1), json!(0), json!(0), json!(0), json!(0)],
        &[json!("syscall"), json!(425), json!(8), json!(0)], // io_uring_setup
        &[json!("syscall"), json!(437), json!(-100), json!("/"), json!(0), json!(0)], // openat2
        &[json!("open"), json!("/dev/null"), json!(2)],
    ];
    let outcome = run(source, calls).await;
    for (call, result) in calls.iter().zip(outcome.results) {
        assert_eq!(result, Some(refused.clone()), "{call:?}");
    }
}

#[tokio::test]
async fn the_process_has_no_environment_and_no_open_files() {
    let source = "
import os, sys
def f():
    open_files = []
    for number in range(1024):
        try:
            os.fstat(number)
            open_files.append(number)
        except OSError:
            pass
    return dict(os.environ), len(open_files), sys.stdin.read(), sys.argv
";
    // Standard input, output and error, and the pipe of the results. Python sets the locale's variable itself.
    let result = value(source).await;
    assert_eq!((&result[1], &result[2], &result[3]), (&json!(4), &json!(""), &json!(["answer.py"])));
    assert!(result[0].as_object().unwrap().keys().all(|name| name == "LC_CTYPE"), "{result}");
}

#[tokio::test]
async fn a_server_that_is_root_runs_answers_as_nobody_where_it_can() {
    let user = value("import os\ndef f(): return [os.getuid(), os.geteuid(), os.getgid(), os.getegid()]").await;
    let own = std::fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own)).unwrap();
    if own != 0 {
        assert_eq!(user[0], json!(own));
    } else {
        assert!(user == json!([65534, 65534, 65534, 65534]) || user == json!([0, 0, 0, 0]), "{user}");
    }
}

#[tokio::test]
async fn an_exit_is_no_result() {
    for (statement, end) in [
        ("sys.exit(0)", End::Raised),
        ("raise KeyboardInterrupt", End::Raised),
        ("raise GeneratorExit", End::Raised),
        ("os._exit(0)", End::Exited),
        ("os.close(3)", End::Raised),
        ("os.closerange(0, 100)", End::Raised),
        ("os.abort()", End::Killed),
        ("os.kill(os.getpid(), signal.SIGKILL)", End::Raised),
        ("import ctypes; ctypes.string_at(0)", End::Killed),
    ] {
        let source = format!("import os, signal, sys\ndef f():\n    {statement}\n    raise OSError");
        let outcome = call(&source).await;
        assert_eq!(outcome.results, [None], "{statement}");
        // A closed pipe ends the driver's next write.
        let ends = if statement.contains("close") { vec![End::Exited] } else { vec![end] };
        assert!(ends.contains(&outcome.end), "{statement}: {:?}", outcome.end);
    }
    assert_eq!(call("import sys\nsys.exit(0)").await.end, End::Raised);
    assert_eq!(call("import os\nos._exit(0)").await.end, End::Exited);
}

#[tokio::test]
async fn garbage_in_the_pipe_of_results_is_no_result() {
    let write = |bytes: &str| {
        format!(
            "
import os
def f():
    for number in range(3, 64):
        try: os.write(number, {bytes})
        except OSError: pass
    os._exit(0)
"
        )
    };
    for (bytes, end) in [
        ("b'garbage, garbage, garbage'", End::OutputLimit),
        ("b'?' + bytes(4)", End::Malformed),
        ("b'R' + bytes(4)", End::Malformed),
        ("b'!' + bytes(4)", End::Malformed),
        ("b'F' + bytes(4)", End::Malformed),
        ("b'V'", End::Exited),
        ("b'V' + (100).to_bytes(4, 'big') + b'1'", End::Exited),
        ("b'V' + bytes(4)", End::NotJson),
        ("b'V' + (3).to_bytes(4, 'big') + b'NaN'", End::NotJson),
        ("b'V' + (2).to_bytes(4, 'big') + b'\\xff\\xff'", End::NotJson),
        ("bytes(100_000)", End::Malformed),
    ] {
        let outcome = call(&write(bytes)).await;
        assert_eq!((outcome.end, outcome.results), (end, vec![None]), "{bytes}");
    }
}

/// An answer may claim any value for a case, and only that: the values are compared outside its reach.
#[tokio::test]
async fn a_program_that_changes_python_changes_its_own_values_alone() {
    let source = "
import builtins, json, os, sys
class Always:
    def __eq__(self, other): return True
    def __hash__(self): return 0
json.dumps = json.loads = lambda *_: 'true'
json.JSONEncoder.encode = lambda *_: 'true'
json.encoder.c_make_encoder = None
builtins.compile = builtins.len = builtins.isinstance = lambda *_: True
os.write = os._exit = lambda *_: True
sys.modules.clear()
def f(): return Always()
";
    let outcome = call(source).await;
    assert!(outcome.results == [None] || outcome.results == [Some(json!("true"))], "{outcome:?}");
    let subclass = "
class Number(int):
    def __eq__(self, other): return True
    def __repr__(self): return '42'
    __str__ = __repr__
def f(): return Number(1)
";
    assert_eq!(value(subclass).await, json!(1));
}

/// The arguments of all cases are in the process, but no expected result is.
#[tokio::test]
async fn no_expected_result_is_in_the_process() {
    let source = "
import gc, sys
def f():
    frame, found = sys._getframe(), []
    while frame:
        found.append(sorted(frame.f_locals))
        request = frame.f_locals.get('request')
        if request: return sorted(request)
        frame = frame.f_back
";
    assert_eq!(value(source).await, json!(["cases", "function", "source"]));
}
