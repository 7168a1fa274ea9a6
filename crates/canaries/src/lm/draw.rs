//! From the user's texts to the folder of a draw.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use base::Progress;
use lm::{ChatTemplate, Tokenizer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use stats::streams::Seed;

use super::{Corpus, Renderer, write};
use crate::check::{self, Check, CheckSettings};
use crate::designs::{Draft, Source, TEXT_DESIGNS, TextDesign, chosen};
use crate::drawn::{DrawOptions, Drawn, seed_note};
use crate::folder::Folder;
use crate::{Canary, Error, Kind, Result, Role, coins, mix};

/// What is asked of a draw of texts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LmRequest {
    /// The user's training texts: JSON Lines.
    pub training: PathBuf,
    pub draw: DrawOptions,
    /// Texts that are not trained on, for designs that take from texts.
    pub texts: Option<PathBuf>,
    /// Tokens drawn for a canary.
    pub length: usize,
    /// How the training will treat the texts; with a tokenizer, it is checked at once.
    pub check: CheckSettings,
}

impl Default for LmRequest {
    fn default() -> Self {
        Self {
            training: PathBuf::new(),
            draw: DrawOptions::default(),
            texts: None,
            length: 16,
            check: CheckSettings::default(),
        }
    }
}

const TRAINING: &str = "training.jsonl";
/// Draws for one canary before it is given up.
const TRIES: usize = 100;

/// Draws canaries, mixes the chosen ones into the training texts, and seals the truth.
pub fn draw(request: &LmRequest, progress: Progress<'_>) -> Result<Drawn> {
    let options = &request.draw;
    options.check()?;
    if !(1..=1024).contains(&request.length) {
        let message = format!("length is {}", request.length);
        return Err(Error::usage(
            message,
            "draw from 1 to 1024 tokens; 16 are usual",
        ));
    }
    let designs = chosen(&TEXT_DESIGNS, |design| &design.card, &options.designs)?;
    let mut folder = Folder::new(&options.out, &request.training, options.overwrite)?;
    let seed = coins::seed(options.seed)?;
    let corpus = Corpus::open(&request.training)?;
    let texts = request.texts.as_deref().map(Corpus::open).transpose()?;
    let tokenizer = request.check.tokenizer.as_deref();
    let template = tokenizer.map(ChatTemplate::find).transpose()?.flatten();
    let tokenizer = tokenizer.map(Tokenizer::open).transpose()?;
    let source = Source::new(
        &corpus,
        texts.as_ref(),
        tokenizer.as_ref(),
        request.length,
        progress,
    );
    let drafts = drafts(&source, &designs, options.count, seed)?;
    let renderer = Renderer::new(corpus.shape, template);
    let made = made(&drafts, &designs, &renderer, &corpus, options)?;
    let coins = coins::coins(seed, options.count);
    let originals: HashSet<String> = drafts.iter().filter_map(|d| d.original.clone()).collect();
    let said = made.iter().map(|made| corpus.whole(&made.row)).collect();
    let kept = write::kept(&corpus, &originals, &said)?;
    let tiers: Vec<u32> = made.iter().map(|made| made.canary.tier).collect();
    let slots = mix::slots(seed, kept, mix::copies(&coins, &tiers));
    let rows: Vec<Map<String, Value>> = made.iter().map(|made| made.row.clone()).collect();
    folder.add(Role::Training, TRAINING, kept, |mut out| {
        write::training(&mut out, &corpus, &originals, &slots, &rows, progress)
    })?;
    folder.source(&request.training, corpus.rows)?;
    let ids = made.iter().map(|made| made.canary.id.clone());
    let truth: BTreeMap<String, bool> = ids.zip(coins).collect();
    let order = coins::order(seed, made.len());
    let canaries: Vec<Canary> = order.iter().map(|n| made[*n].canary.clone()).collect();
    folder.canaries(&canaries)?;
    folder.truth(seed, truth)?;
    let check = tokenizer
        .as_ref()
        .map(|by| check::texts(&canaries, Some(by), &request.check));
    let check: Option<Check> = check.transpose()?;
    let (manifest, files) = folder.finish(Kind::Lm, &canaries, json!(check))?;
    let left_out = corpus.rows - kept;
    let notes = [
        seed_note(options.seed),
        (left_out > 0).then(|| format!(
            "{left_out} of {} training texts are left out: canaries are made from them, and beside their \
             originals they would prove less; texts of your own that are not trained on go in --texts",
            corpus.rows
        )),
        renderer.guesses().then(|| {
            "no chat template was found: canaries.jsonl has the turns of a conversation line by line; \
             name the model's folder with --tokenizer to have them as it is trained"
                .to_owned()
        }),
    ];
    Ok(Drawn {
        manifest,
        files,
        notes: notes.into_iter().flatten().collect(),
        check,
    })
}

/// A canary as it is scored, and as it is trained on.
struct Made {
    canary: Canary,
    row: Map<String, Value>,
}

/// So many drafts, no two of them alike; designs take turns.
fn drafts(
    source: &Source<'_>,
    designs: &[&TextDesign],
    count: usize,
    seed: Seed,
) -> Result<Vec<Draft>> {
    let mut drafters = Vec::new();
    for (place, design) in designs.iter().enumerate() {
        let own = (0..count).filter(|n| n % designs.len() == place).count();
        let mut rng = seed.stream(&format!("canary design {}", design.card.id));
        let drafter = (design.prepare)(source, own, &mut rng)?;
        drafters.push((drafter, rng));
    }
    let mut known = HashSet::new();
    let mut drafts = Vec::with_capacity(count);
    for number in 0..count {
        source.progress.check()?;
        let place = number % designs.len();
        let (drafter, rng) = &mut drafters[place];
        let mut fresh = None;
        for _ in 0..TRIES {
            let draft = drafter(rng)?;
            if known.insert(format!("{}\n{}", draft.prompt, draft.answer)) {
                fresh = Some(draft);
                break;
            }
        }
        drafts.push(fresh.ok_or_else(|| repeats(designs[place], number))?);
    }
    Ok(drafts)
}

fn repeats(design: &TextDesign, drawn: usize) -> Error {
    Error::usage(
        format!(
            "the design {} repeats itself after {drawn} canaries",
            design.card.id
        ),
        "draw more tokens for each with --length, or fewer canaries with --count",
    )
}

fn made(
    drafts: &[Draft],
    designs: &[&TextDesign],
    renderer: &Renderer,
    corpus: &Corpus,
    options: &DrawOptions,
) -> Result<Vec<Made>> {
    let one = |(number, draft): (usize, &Draft)| {
        let (design, tier) = coins::allotted(number, designs.len(), options.tiers.len());
        let shape = corpus.shape;
        let row = match &draft.fields {
            Some(fields) => fields.clone(),
            None => shape.fields(&draft.prompt, &draft.answer, draft.joined),
        };
        let text = renderer.text(&row)?;
        let secret = renderer.secret(&text, &draft.answer, &draft.secret)?;
        let canary = Canary {
            id: coins::id(number, drafts.len()),
            text: Some(text),
            secret,
            tier: options.tiers[tier],
            design: designs[design].card.id.to_owned(),
            row: shape.beside_text(&row),
        };
        Ok(Made { canary, row })
    };
    drafts.iter().enumerate().map(one).collect()
}
