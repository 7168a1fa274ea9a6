//! The program itself, and the machine that it runs on.

use std::process::Command;

use base::Cancel;

use crate::Launch;

use super::asked::{Answer, ask};
use super::{Finding, Status};

const GIB: f64 = (1u64 << 30) as f64;
/// Less than this is free: large audits will be slow or killed.
const LITTLE: u64 = 1 << 30;

pub fn version() -> Finding {
    let launch = Launch::current();
    let host = match &launch.python {
        Some(python) => format!(", in {}", python.display()),
        None => String::new(),
    };
    Finding::ok(
        "version",
        format!(
            "guestlist {} for {}-{}, started as {}{host}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::ARCH,
            std::env::consts::OS,
            launch.program.display(),
        ),
    )
}

/// What can be chosen when it is built: whether it was, and what for.
const FEATURES: [(&str, bool, &str); 2] = [
    (
        "object-store",
        cfg!(feature = "object-store"),
        "Parquet is read from s3://, gs:// and az://",
    ),
    (
        "cuda",
        cfg!(feature = "cuda"),
        "language models run on NVIDIA GPUs",
    ),
];

pub fn features() -> Finding {
    let chosen = FEATURES.iter().filter(|(_, chosen, _)| *chosen);
    let chosen: Vec<String> = chosen
        .map(|(name, _, words)| format!("{name}: {words}"))
        .collect();
    let none = "none: language models run on the CPU, and Parquet is read from disks";
    match chosen.is_empty() {
        true => Finding::ok("features", none),
        false => Finding::ok("features", chosen.join("; ")),
    }
}

pub fn processor() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = rayon::current_num_threads();
    let vectors = vectors();
    let vectors = match vectors.is_empty() {
        true => String::new(),
        false => format!(", with {}", vectors.join(" and ")),
    };
    Finding::ok(
        "processor",
        format!("{cores} cores that may be used, {threads} threads{vectors}"),
    )
}

/// Instructions that make attacks and training fast.
fn vectors() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("AVX-512", std::arch::is_x86_feature_detected!("avx512f")),
        ];
        found.extend(known.into_iter().filter(|one| one.1).map(|one| one.0));
    }
    #[cfg(target_arch = "aarch64")]
    found.push("NEON");
    found
}

pub fn memory() -> Finding {
    let Some(memory) = Memory::of_this_machine() else {
        return Finding::ok("memory", "its size is not known on this system");
    };
    let said = format!(
        "{:.1} GiB free of {:.1} GiB",
        memory.free as f64 / GIB,
        memory.whole as f64 / GIB
    );
    match memory.free < LITTLE {
        true => Finding::new("memory", Status::Warning, said)
            .remedy("end other programs, or ask for more: large audits may be killed"),
        false => Finding::ok("memory", said),
    }
}

/// In bytes.
struct Memory {
    free: u64,
    whole: u64,
}

impl Memory {
    /// As Linux tells it, within what a container is allowed.
    fn of_this_machine() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let own = Self {
            free: kibibytes(&text, "MemAvailable:")?,
            whole: kibibytes(&text, "MemTotal:")?,
        };
        let told = |file| std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok();
        let number = |file| -> Option<u64> { told(file)?.trim().parse().ok() };
        Some(match (number("memory.max"), number("memory.current")) {
            (Some(most), Some(used)) => {
                let given_back = told("memory.stat").and_then(|text| idle_files(&text));
                own.within(most, used.saturating_sub(given_back.unwrap_or(0)))
            }
            _ => own,
        })
    }

    fn within(self, most: u64, used: u64) -> Self {
        Self {
            free: self.free.min(most.saturating_sub(used)),
            whole: self.whole.min(most),
        }
    }
}

/// Of a container's memory, what the system keeps of files that were read, and gives back when it is wanted.
fn idle_files(statistics: &str) -> Option<u64> {
    let mut lines = statistics.lines();
    lines.find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse().ok())
}

/// A line of `/proc/meminfo`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

pub fn gpu(cancel: &Cancel) -> Finding {
    let mut command = Command::new("nvidia-smi");
    command.args([
        "--query-gpu=name,memory.total,driver_version",
        "--format=csv,noheader",
    ]);
    let built = cfg!(feature = "cuda");
    match ask(command, cancel) {
        Answer::Said(said) if !said.is_empty() => {
            let devices: Vec<&str> = said.lines().map(str::trim).collect();
            let found = Finding::ok("gpu", devices.join("; "));
            match built {
                true => found,
                false => found.remedy(
                    "PyTorch trains on it as it is; to score language models on it natively, build with \
                     `cargo install --path crates/cli --features cuda`",
                ),
            }
        }
        Answer::Failed(why) => {
            let said = format!("nvidia-smi {why}: the driver does not answer");
            Finding::new("gpu", Status::Warning, said).remedy(
                "load the NVIDIA driver, or give the container the GPU; the CPU does without",
            )
        }
        _ if built => Finding::new("gpu", Status::Warning, "no NVIDIA GPU is found")
            .remedy("set device = \"cpu\" in configurations, or run where there is one"),
        _ => Finding::new("gpu", Status::Absent, "no NVIDIA GPU is found")
            .remedy("none is needed: classifiers, texts and services are audited on the CPU"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_and_kept_within_a_container() {
        let text = "MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:    8192 kB\n";
        assert_eq!(kibibytes(text, "MemAvailable:"), Some(8192 << 10));
        assert_eq!(kibibytes(text, "Swap:"), None);
        let own = Memory {
            free: 8192 << 10,
            whole: 16384 << 10,
        };
        let own = own.within(4096 << 10, 4000 << 10);
        assert_eq!((own.free, own.whole), (96 << 10, 4096 << 10));
        let statistics = "anon 5\nactive_file 7\ninactive_file 4096\nslab 9\n";
        assert_eq!(idle_files(statistics), Some(4096));
        assert_eq!(idle_files("anon 5\n"), None);
    }

    #[test]
    fn no_feature_is_forgotten() {
        let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
        let named: Vec<&str> = FEATURES.iter().map(|feature| feature.0).collect();
        let features = manifest["features"].as_table().unwrap();
        assert_eq!(features.len(), named.len());
        assert!(named.iter().all(|name| features.contains_key(*name)));
    }
}
