//! Everything about a training run that can be checked before it starts.

use crate::dataset::Dataset;
use crate::network::Network;
use crate::privacy::plan;
use crate::recipe::{ClassWeights, EarlyStop, Noise, Optimiser, Privacy, Recipe, Schedule};
use base::{Error, Result};

/// Refuses what could not be trained, before anything is.
pub fn check(network: &Network, recipe: &Recipe, data: &Dataset, rows: &[u32]) -> Result<()> {
    network.check()?;
    check_widths(network, data)?;
    check_rows(data, rows)?;
    check_amounts(recipe)?;
    check_optimiser(recipe.optimiser)?;
    check_schedule(recipe.schedule, recipe.epochs)?;
    check_class_weights(&recipe.class_weights, data.classes())?;
    recipe
        .early_stop
        .map_or(Ok(()), |stop| check_early_stop(stop, rows.len()))?;
    recipe
        .privacy
        .map_or(Ok(()), |privacy| check_privacy(privacy, recipe, rows))?;
    // Whether the wanted ε can be reached at all.
    plan(recipe, rows.len()).map(|_| ())
}

pub(crate) fn check_widths(network: &Network, data: &Dataset) -> Result<()> {
    let disagree = |what, of_network, of_data| {
        Err(crate::refused::shape(
            format!("the network has {of_network} {what}, the data {of_data}"),
            "describe the network with the data's own width and number of classes",
        ))
    };
    if network.inputs != data.width() {
        return disagree("inputs", network.inputs, data.width());
    }
    if network.outputs != data.classes() {
        return disagree("classes", network.outputs, data.classes());
    }
    Ok(())
}

fn check_rows(data: &Dataset, rows: &[u32]) -> Result<()> {
    data.check_rows(rows)?;
    let mut labels = rows.iter().map(|&row| data.label(row));
    let first = labels.next();
    if first.is_none_or(|first| labels.all(|label| label == first)) {
        return Err(crate::refused::data(
            format!(
                "the {} training rows hold fewer than two classes",
                rows.len()
            ),
            "a classifier needs at least two; choose other or more rows",
        ));
    }
    Ok(())
}

fn require(holds: bool, message: String, hint: &str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::setting(message, hint))
    }
}

fn check_amounts(recipe: &Recipe) -> Result<()> {
    let Recipe {
        learning_rate,
        weight_decay,
        dropout,
        label_smoothing,
        ..
    } = *recipe;
    require(
        recipe.epochs >= 1,
        "epochs is 0".into(),
        "train for at least one epoch",
    )?;
    require(
        recipe.batch_size >= 1,
        "batch_size is 0".into(),
        "use at least 1; 64 is usual",
    )?;
    require(
        learning_rate.is_finite() && learning_rate > 0.0,
        format!("learning_rate is {learning_rate}"),
        "use a finite number above 0, such as 0.01 for SGD or 0.001 for Adam",
    )?;
    require(
        weight_decay.is_finite() && weight_decay >= 0.0,
        format!("weight_decay is {weight_decay}"),
        "use a finite number, 0 or more",
    )?;
    require(
        (0.0..1.0).contains(&dropout),
        format!("dropout is {dropout}"),
        "use a probability below 1; 0 for none",
    )?;
    require(
        (0.0..=1.0).contains(&label_smoothing),
        format!("label_smoothing is {label_smoothing}"),
        "use a share between 0 and 1; 0 for none",
    )?;
    recipe.clip_norm.map_or(Ok(()), |norm| {
        require(
            is_positive(norm),
            format!("clip_norm is {norm}"),
            "use a finite number above 0, or leave it out",
        )
    })
}

fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn check_optimiser(optimiser: Optimiser) -> Result<()> {
    match optimiser {
        Optimiser::Sgd { momentum, nesterov } => require(
            (0.0..1.0).contains(&momentum) && (momentum > 0.0 || !nesterov),
            format!("momentum is {momentum}"),
            "use a number in [0, 1); Nesterov needs one above 0",
        ),
        Optimiser::Adam {
            beta1,
            beta2,
            epsilon,
        }
        | Optimiser::AdamW {
            beta1,
            beta2,
            epsilon,
        } => check_adam(beta1, beta2, epsilon),
    }
}

fn check_adam(beta1: f64, beta2: f64, epsilon: f64) -> Result<()> {
    for (name, beta, usual) in [("beta1", beta1, 0.9), ("beta2", beta2, 0.999)] {
        require(
            (0.0..1.0).contains(&beta),
            format!("{name} is {beta}"),
            &format!("use a number in [0, 1); {usual} is usual"),
        )?;
    }
    require(
        is_positive(epsilon),
        format!("epsilon is {epsilon}"),
        "use a finite number above 0; 1e-8 is usual",
    )
}

fn check_schedule(schedule: Schedule, epochs: u32) -> Result<()> {
    match schedule {
        Schedule::Constant | Schedule::Cosine => Ok(()),
        Schedule::Step { every, factor } => require(
            every >= 1 && is_positive(factor),
            format!("schedule: the steps have factor {factor} every {every} epochs"),
            "use a factor above 0 and at least 1 epoch",
        ),
        Schedule::WarmUpCosine { epochs: warm } => require(
            warm < epochs,
            format!("schedule: warm-up lasts {warm} of {epochs} epochs"),
            "leave at least one epoch after the warm-up",
        ),
    }
}

fn check_class_weights(weights: &ClassWeights, classes: usize) -> Result<()> {
    let ClassWeights::Given(given) = weights else {
        return Ok(());
    };
    let hint = "give one finite weight above 0 per class";
    require(
        given.len() == classes,
        format!("class_weights has {} for {classes} classes", given.len()),
        hint,
    )?;
    let wrong = given.iter().position(|&w| !is_positive(f64::from(w)));
    wrong.map_or(Ok(()), |class| {
        let weight = given[class];
        let message = format!("class_weights has {weight} for class {class}");
        Err(Error::setting(message, hint))
    })
}

fn check_early_stop(stop: EarlyStop, rows: usize) -> Result<()> {
    let held_out = (rows as f64 * stop.held_out).round();
    require(
        stop.patience >= 1 && held_out >= 1.0 && held_out < rows as f64,
        format!(
            "early_stop holds out {} of {rows} rows with patience {}",
            stop.held_out, stop.patience
        ),
        "hold out a share that leaves rows on both sides, such as 0.1, with patience of 1 or more",
    )
}

fn check_privacy(privacy: Privacy, recipe: &Recipe, rows: &[u32]) -> Result<()> {
    let Privacy {
        clip_norm, delta, ..
    } = privacy;
    require(
        is_positive(clip_norm),
        format!("privacy.clip_norm is {clip_norm}"),
        "use a finite number above 0; 1 is usual",
    )?;
    require(
        delta > 0.0 && delta < 1.0,
        format!("privacy.delta is {delta}"),
        "use a number in (0, 1), well below one over the number of records",
    )?;
    check_noise(privacy.noise)?;
    check_company(recipe)?;
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    require(
        sorted.windows(2).all(|pair| pair[0] != pair[1]),
        "privacy: a row was given twice".into(),
        "a record that appears twice is protected half; name every row once",
    )
}

fn check_noise(noise: Noise) -> Result<()> {
    match noise {
        Noise::Multiplier(multiplier) => require(
            multiplier.is_finite() && multiplier >= 0.0,
            format!("privacy.noise_multiplier is {multiplier}"),
            "use a finite number, 0 or more; 1 is usual",
        ),
        Noise::TargetEpsilon(epsilon) => require(
            is_positive(epsilon),
            format!("privacy.epsilon is {epsilon}"),
            "use a finite number above 0",
        ),
    }
}

/// Whatever looks at the records outside the clipped, noised gradient voids the stated ε.
fn check_company(recipe: &Recipe) -> Result<()> {
    require(
        recipe.early_stop.is_none(),
        "early_stop cannot go with privacy".into(),
        "the stop would look at records without noise; fix the number of epochs instead",
    )?;
    require(
        recipe.class_weights != ClassWeights::Balanced,
        "class_weights cannot be balanced with privacy".into(),
        "the counts would be used without noise; give the class weights instead",
    )?;
    require(
        recipe.clip_norm.is_none(),
        "clip_norm cannot go with privacy".into(),
        "DP-SGD clips every example already; leave clip_norm out, or set privacy.clip_norm",
    )
}
