//! Everything about a training run that can be checked before it starts.

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::privacy::plan;
use crate::recipe::{ClassWeights, EarlyStop, Noise, Optimiser, Privacy, Recipe, Schedule};

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
        Err(Error::shape(
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
        return Err(Error::data(
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
        "batch size is 0".into(),
        "use at least 1; 64 is usual",
    )?;
    require(
        learning_rate.is_finite() && learning_rate > 0.0,
        format!("learning rate is {learning_rate}"),
        "use a finite number above 0, such as 0.01 for SGD or 0.001 for Adam",
    )?;
    require(
        weight_decay.is_finite() && weight_decay >= 0.0,
        format!("weight decay is {weight_decay}"),
        "use a finite number, 0 or more",
    )?;
    require(
        (0.0..1.0).contains(&dropout),
        format!("dropout is {dropout}"),
        "use a probability below 1; 0 for none",
    )?;
    require(
        (0.0..=1.0).contains(&label_smoothing),
        format!("label smoothing is {label_smoothing}"),
        "use a share between 0 and 1; 0 for none",
    )?;
    require(
        recipe.clip_norm.is_none_or(is_positive),
        format!("gradient clip norm is {:?}", recipe.clip_norm),
        "use a finite number above 0, or none",
    )
}

fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn check_optimiser(optimiser: Optimiser) -> Result<()> {
    match optimiser {
        Optimiser::Sgd { momentum, nesterov } => require(
            (0.0..1.0).contains(&momentum) && (momentum > 0.0 || !nesterov),
            format!("SGD momentum is {momentum}"),
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
        } => require(
            [beta1, beta2].iter().all(|beta| (0.0..1.0).contains(beta)) && is_positive(epsilon),
            format!("Adam has beta1 {beta1}, beta2 {beta2}, epsilon {epsilon}"),
            "betas lie in [0, 1), epsilon is above 0; the defaults are 0.9, 0.999, 1e-8",
        ),
    }
}

fn check_schedule(schedule: Schedule, epochs: u32) -> Result<()> {
    match schedule {
        Schedule::Constant | Schedule::Cosine => Ok(()),
        Schedule::Step { every, factor } => require(
            every >= 1 && is_positive(factor),
            format!("the step schedule has factor {factor} every {every} epochs"),
            "use a factor above 0 and at least 1 epoch",
        ),
        Schedule::WarmUpCosine { epochs: warm } => require(
            warm < epochs,
            format!("warm-up lasts {warm} of {epochs} epochs"),
            "leave at least one epoch after the warm-up",
        ),
    }
}

fn check_class_weights(weights: &ClassWeights, classes: usize) -> Result<()> {
    let ClassWeights::Given(given) = weights else {
        return Ok(());
    };
    require(
        given.len() == classes && given.iter().all(|&w| is_positive(f64::from(w))),
        format!("{} class weights given for {classes} classes", given.len()),
        "give one finite weight above 0 per class",
    )
}

fn check_early_stop(stop: EarlyStop, rows: usize) -> Result<()> {
    let held_out = (rows as f64 * stop.held_out).round();
    require(
        stop.patience >= 1 && held_out >= 1.0 && held_out < rows as f64,
        format!(
            "early stop holds out {} of {rows} rows with patience {}",
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
        format!("DP-SGD clip norm is {clip_norm}"),
        "use a finite number above 0; 1 is usual",
    )?;
    require(
        delta > 0.0 && delta < 1.0,
        format!("DP-SGD delta is {delta}"),
        "use a number in (0, 1), well below one over the number of records",
    )?;
    check_noise(privacy.noise)?;
    check_company(recipe)?;
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    require(
        sorted.windows(2).all(|pair| pair[0] != pair[1]),
        "DP-SGD was given a row twice".into(),
        "a record that appears twice is protected half; name every row once",
    )
}

fn check_noise(noise: Noise) -> Result<()> {
    match noise {
        Noise::Multiplier(multiplier) => require(
            multiplier.is_finite() && multiplier >= 0.0,
            format!("DP-SGD noise multiplier is {multiplier}"),
            "use a finite number, 0 or more; 1 is usual",
        ),
        Noise::TargetEpsilon(epsilon) => require(
            is_positive(epsilon),
            format!("DP-SGD target epsilon is {epsilon}"),
            "use a finite number above 0",
        ),
    }
}

/// Whatever looks at the records outside the clipped, noised gradient voids the stated ε.
fn check_company(recipe: &Recipe) -> Result<()> {
    require(
        recipe.early_stop.is_none(),
        "DP-SGD with early stop".into(),
        "the stop would look at records without noise; fix the number of epochs instead",
    )?;
    require(
        recipe.class_weights != ClassWeights::Balanced,
        "DP-SGD with balanced class weights".into(),
        "the counts would be used without noise; give the class weights instead",
    )?;
    require(
        recipe.clip_norm.is_none(),
        "DP-SGD with a second gradient clip norm".into(),
        "DP-SGD clips every example already; leave the recipe's own clip norm out",
    )
}
