//! Numbers to predict, joined labels and decimal commas are no classes: refused with the one line
//! that mends it, and taken at their word where the user insists.

use crate::bench::Bench;

fn config(label: &str, more: &str) -> String {
    format!(
        "kind = \"classifier\"\n[data]\npath = \"data.csv\"\nlabel = \"{label}\"\n{more}\n\
         [models]\nshadows = 2\n[training]\nepochs = 1\n"
    )
}

fn bench(data: &str, label: &str, more: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", data);
    bench.write("guestlist.toml", &config(label, more));
    bench
}

/// Refused by `plan` and `run`, told by `init`, and read with these lines in the configuration.
#[track_caller]
fn refused_until(data: &str, label: &str, parts: &[&str], mended: &str) {
    let bench = bench(data, label, "");
    for command in ["plan", "run"] {
        bench.guestlist(command).complains(parts);
    }
    let init = format!("init classifier --data data.csv --label {label} --out new.toml");
    let told = bench.guestlist(&init).exits(0).stderr;
    for part in parts {
        assert!(told.contains(part), "{part:?} is not in: {told}");
    }
    bench.write("guestlist.toml", &config(label, mended));
    bench.guestlist("plan").exits(0);
}

/// A table with a label that is a function of the row, beside a feature.
fn labelled(records: usize, label: impl Fn(usize) -> String) -> String {
    let row = |n: usize| format!("{},{}\n", (n * 7919 % 1000) as f64 / 7.0, label(n));
    "x,y\n".to_owned() + &(0..records).map(row).collect::<String>()
}

/// Spread over 0 to below 1, the same every time.
fn spread(n: usize) -> f64 {
    (n as f64 * 0.618_033_988_749_895).fract()
}

#[test]
fn targets_of_a_regression_are_refused_with_the_way_to_audit_one() {
    let data = labelled(442, |n| (25 + (spread(n) * 214.0) as usize).to_string());
    let parts = [
        "data.csv: column y looks like a number to predict, not like a class",
        "different numbers from 25 to 238 in 442 records",
        "categories = [\"y\"]",
        "records = 442",
        "output = \"phi\"",
    ];
    refused_until(&data, "y", &parts, "categories = [\"y\"]");
    let fractions = labelled(300, |n| format!("{:.1}", 3.0 * spread(n)));
    refused_until(
        &fractions,
        "y",
        &["looks like a number to predict", "31 different numbers"],
        "categories = [\"#1\"]",
    );
}

#[test]
fn ages_are_no_classes() {
    // More people of middle age than of any other.
    let age = |n: usize| 17 + (36.0 * (spread(n) + spread(n * n % 10_007))) as usize;
    let data = labelled(4000, |n| age(n).to_string());
    refused_until(
        &data,
        "y",
        &["looks like a number to predict", "from 17 to"],
        "categories = [\"y\"]",
    );
}

#[test]
fn a_regression_is_audited_by_a_program_that_writes_phi() {
    let bench = Bench::new();
    bench.write(
        "train.py",
        "import json, random, struct, sys\n\
         job = json.load(open(sys.argv[1]))\n\
         random.seed(job['seed'])\n\
         values = [-abs(random.gauss(0, 1)) for _ in range(60)]\n\
         head = \"{'descr': '<f8', 'fortran_order': False, 'shape': (60,), }\"\n\
         head = head.ljust(117) + '\\n'\n\
         with open(job['output'], 'wb') as out:\n    \
         out.write(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(head)) + head.encode())\n    \
         out.write(struct.pack('<60d', *values))\n",
    );
    bench.write(
        "guestlist.toml",
        "kind = \"classifier\"\n[data]\nrecords = 60\n[models]\nshadows = 4\n\
         [command]\nrun = [\"python3\", \"train.py\", \"{job}\"]\noutput = \"phi\"\n",
    );
    let said = bench.guestlist("run");
    assert!(said.code.is_some_and(|code| code != 2), "{}", said.stderr);
}

#[test]
fn joined_labels_are_refused() {
    let tags = [
        "news",
        "sport",
        "news|sport",
        "home|news",
        "home|sport",
        "home",
    ];
    let data = labelled(120, |n| tags[n % 6].to_owned());
    let parts = [
        "data.csv: column y, line 4: \"news|sport\" looks like 2 labels joined by '|'",
        "one label at a time",
        "categories = [\"y\"]",
    ];
    refused_until(&data, "y", &parts, "categories = [\"y\"]");
    let quoted = labelled(120, |n| format!("\"{}\"", tags[n % 6].replace('|', ", ")));
    refused_until(
        &quoted,
        "y",
        &["labels joined by ','"],
        "categories = [\"y\"]",
    );
}

#[test]
fn decimal_commas_are_refused_until_they_are_named() {
    let row = |n: usize| {
        let price = format!("{:.2}", 100.0 * spread(n)).replace('.', ",");
        format!("{price};{};{}\n", n % 7, ["yes", "no"][n % 2])
    };
    let data = "price;kind;y\n".to_owned() + &(0..300).map(row).collect::<String>();
    let parts = [
        "data.csv: column price, line 2: \"0,00\" has a comma where a number has a point",
        "300 of 300 values",
        "decimal = \",\"",
    ];
    refused_until(&data, "y", &parts, "decimal = \",\"");
    let bench = bench(&data, "y", "decimal = \",\"");
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("3 columns as 2 numbers each"), "{plan}");
}

#[test]
fn many_honest_classes_are_read_without_a_word() {
    for label in [
        |n: usize| (n % 100).to_string(),
        |n: usize| (5000 + n % 100).to_string(),
        |n: usize| ((spread(n) * 30.0) as usize).to_string(),
        |n: usize| char::from(b'a' + (n % 26) as u8).to_string(),
        |n: usize| ["Boston, MA", "Buffalo, NY", "Albany, NY"][n % 3].replace(", ", " | "),
        |n: usize| ["1", "1.5", "2", "2.5", "3"][n % 5].to_owned(),
    ] {
        let bench = bench(&labelled(5000, label), "y", "");
        bench.guestlist("plan").exits(0);
    }
}
