//! Lines of Python that read what another program wrote and write what is read here.

use std::path::Path;

use super::Wanted;
use super::look::Foreign;

/// Names under which others keep what is wanted, the first that is there.
const OUTPUTS: [&str; 8] = [
    "phi",
    "logits",
    "probabilities",
    "probs",
    "outputs",
    "predictions",
    "scores",
    "arr_0",
];
const LABELS: [&str; 6] = ["labels", "label", "y", "targets", "target", "classes"];
const KEEP: [&str; 7] = [
    "keep",
    "member",
    "members",
    "in_data",
    "mask",
    "membership",
    "train",
];

/// What is to be written, for people.
pub(super) fn written_as(path: &Path, foreign: &Foreign, wanted: Wanted) -> String {
    let what = match wanted {
        Wanted::Signals => "outputs and keep",
        Wanted::Rows => "one JSON object per line",
        Wanted::Scores => "scores and member",
        Wanted::Features => "features and member",
        Wanted::Data => "features x and labels y",
    };
    format!("{} with {what}", result(path, foreign, wanted))
}

/// The whole of it, with the user's own file in it.
pub(super) fn python(path: &Path, foreign: &Foreign, wanted: Wanted) -> String {
    let name = path.to_string_lossy();
    let file = python_text(&name);
    let result = python_text(&result(path, foreign, wanted));
    if *foreign == Foreign::Arrow {
        return format!(
            "import pyarrow.feather, pyarrow.parquet\n\
             pyarrow.parquet.write_table(pyarrow.feather.read_table({file}), {result})\n"
        );
    }
    let mut lines = read(&file, &name, foreign);
    lines.extend(write(&result, foreign, wanted));
    lines.join("\n") + "\n"
}

fn read(file: &str, name: &str, foreign: &Foreign) -> Vec<String> {
    let imports = |modules: &str| format!("import {modules}");
    match foreign {
        Foreign::Pickle => vec![
            imports("json, pickle, numpy as np"),
            format!("with open({file}, \"rb\") as file:"),
            "    data = pickle.load(file)  # runs code: only a file that you trust".into(),
        ],
        Foreign::Torch => vec![
            imports("json, torch, numpy as np"),
            format!("data = torch.load({file}, map_location=\"cpu\", weights_only=True)"),
            "# weights of a model are no outputs: run it over the records first".into(),
        ],
        Foreign::Json => vec![
            imports("json, numpy as np"),
            format!("with open({file}, encoding=\"utf-8\") as file:"),
            "    data = json.load(file)".into(),
        ],
        Foreign::Hdf5 => vec![
            imports("json, h5py, numpy as np"),
            format!("data = h5py.File({file}, \"r\")"),
        ],
        Foreign::Matlab => vec![
            imports("json, scipy.io, numpy as np"),
            format!("data = scipy.io.loadmat({file}, squeeze_me=True)"),
        ],
        Foreign::Csv(columns) => table(file, columns),
        Foreign::NpzPerModel(_) => {
            let pattern = Path::new(name).join("*.npz");
            vec![
                imports("glob, numpy as np"),
                format!(
                    "files = sorted(glob.glob({}))  # the audited model first",
                    python_text(&pattern.to_string_lossy())
                ),
                "models = [np.load(file) for file in files]".into(),
            ]
        }
        Foreign::Arrow => Vec::new(),
    }
}

/// Whether columns say who is a member, and neither a label nor several outputs.
pub(super) fn are_scores(columns: &[String]) -> bool {
    let member = columns.iter().any(|name| name == "member");
    member && known(&LABELS, columns).is_none() && shared_stem(columns).is_none()
}

/// Outputs of one model: a row per record, a column per class.
fn table(file: &str, columns: &[String]) -> Vec<String> {
    let label = known(&LABELS, columns).unwrap_or("label".into());
    let keep = known(&KEEP, columns).unwrap_or("member".into());
    vec![
        "import csv, numpy as np".into(),
        format!("with open({file}, newline=\"\", encoding=\"utf-8\") as file:"),
        "    rows = list(csv.DictReader(file))".into(),
        format!(
            "label, member = {}, {}  # columns that are no outputs",
            python_text(&label),
            python_text(&keep)
        ),
        classes(columns),
        "data = {".into(),
        "    \"logits\": [[float(row[name]) for name in classes] for row in rows],".into(),
        "    \"labels\": [int(row[label]) for row in rows],  # 0 is the first column of outputs"
            .into(),
        "    \"keep\": [int(row[member]) for row in rows],".into(),
        "}".into(),
    ]
}

/// Outputs are the columns that share a stem before their numbers; where none do, all that are left.
fn classes(columns: &[String]) -> String {
    match shared_stem(columns) {
        Some(stem) => format!(
            "classes = [name for name in rows[0] if name.rstrip(\"0123456789\") == {} != name]",
            python_text(&stem)
        ),
        None => {
            "classes = [name for name in rows[0] if name not in (\"id\", label, member)]  # and \
                 whatever else is no output"
                .into()
        }
    }
}

/// What stands before the numbers of most columns, where it does of several.
fn shared_stem(columns: &[String]) -> Option<String> {
    let stem = |name: &str| {
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        (stem.len() < name.len()).then(|| stem.to_owned())
    };
    let stems = columns.iter().filter_map(|name| stem(name));
    let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for stem in stems {
        *counts.entry(stem).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| *count > 1).map(|(stem, _)| stem)
}

fn write(result: &str, foreign: &Foreign, wanted: Wanted) -> Vec<String> {
    if let Foreign::NpzPerModel(names) = foreign {
        return stacked(result, names);
    }
    let save = |arrays: &[(&str, &str)]| {
        let mut lines = vec![format!("np.savez({result},")];
        let array = |(name, shape): &(&str, &str)| {
            format!("         {name}=np.asarray(data[\"{name}\"]),  # {shape}")
        };
        lines.extend(arrays.iter().map(array));
        lines.push(")".into());
        lines
    };
    match wanted {
        Wanted::Signals => save(&[
            (
                "logits",
                "[models, records, classes]; of one model without the first axis",
            ),
            ("labels", "[records]"),
            (
                "keep",
                "[models, records], 1 where the model trained on the record",
            ),
        ]),
        Wanted::Scores => save(&[
            ("member", "[records], 1 where the record was trained on"),
            (
                "score",
                "[records], larger for likelier members; one array per attack",
            ),
        ]),
        Wanted::Features => save(&[
            ("features", "[records, width]"),
            ("member", "[records], 1 where the record was trained on"),
        ]),
        Wanted::Data => save(&[("x", "[records, features]"), ("y", "[records], classes")]),
        Wanted::Rows => vec![
            format!("with open({result}, \"w\", encoding=\"utf-8\") as file:"),
            "    for row in data:  # each with id, text and member, or with token_ids and logprob"
                .into(),
            "        file.write(json.dumps(row) + \"\\n\")".into(),
        ],
    }
}

/// One file for all models.
fn stacked(result: &str, names: &[String]) -> Vec<String> {
    let outputs = known(&OUTPUTS, names).unwrap_or("logits".into());
    let keep = known(&KEEP, names).unwrap_or("keep".into());
    let labels = known(&LABELS, names).unwrap_or("labels".into());
    let as_name = match outputs.as_str() {
        "phi" => "phi",
        "probabilities" | "probs" => "probabilities",
        _ => "logits",
    };
    let stack = |name: &str| {
        format!(
            "np.stack([model[{}] for model in models])",
            python_text(name)
        )
    };
    let mut lines = vec![
        format!("np.savez({result},"),
        format!(
            "         {as_name}={},  # [models, records, …]",
            stack(&outputs)
        ),
        format!(
            "         keep={},  # 1 where it trained on the record",
            stack(&keep)
        ),
    ];
    if as_name != "phi" {
        lines.push(format!(
            "         labels=models[0][{}],  # [records]",
            python_text(&labels)
        ));
    }
    lines.push(")".into());
    lines
}

fn known(wanted: &[&str], there: &[String]) -> Option<String> {
    let same = |name: &&str| there.iter().find(|one| one.eq_ignore_ascii_case(name));
    wanted.iter().find_map(same).cloned()
}

/// The file beside it that would be readable.
fn result(path: &Path, foreign: &Foreign, wanted: Wanted) -> String {
    let ending = match (foreign, wanted) {
        (Foreign::Arrow, _) => "parquet",
        (_, Wanted::Rows) => "jsonl",
        _ => "npz",
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    format!("{name}.{ending}")
}

/// A text in quotes as Python reads it, whatever is in it.
pub fn python_text(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            other if other.is_control() || !(other.is_ascii() || other.is_alphanumeric()) => {
                out += &format!("\\U{:08x}", u32::from(other));
            }
            other => out.push(other),
        }
    }
    out + "\""
}
