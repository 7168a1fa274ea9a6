//! A small ROC curve on logarithmic axes, drawn with characters.

use judge::AttackMeasures;

const WIDTH: usize = 60;
const HEIGHT: usize = 16;
const MARKS: [char; 3] = ['●', '▲', '■'];

/// The curves of up to three attacks with the chance line, as lines of text.
pub fn roc(attacks: &[&AttackMeasures]) -> Vec<String> {
    let Some(first) = attacks.first() else {
        return Vec::new();
    };
    let axes = Axes::new(first.n_members, first.n_nonmembers);
    let mut canvas = vec![vec![' '; WIDTH]; HEIGHT];
    for column in 0..WIDTH {
        let chance = axes.fpr_at(column);
        axes.mark(&mut canvas, column, chance, '·');
    }
    for (attack, mark) in attacks.iter().zip(MARKS).rev() {
        for column in 0..WIDTH {
            let tpr = attack.roc.true_positive_rate(axes.fpr_at(column));
            axes.mark(&mut canvas, column, tpr, mark);
        }
    }
    axes.frame(&canvas, attacks)
}

/// Logarithmic axes from one over the number of records to one.
struct Axes {
    decades_x: f64,
    decades_y: f64,
}

impl Axes {
    fn new(members: u64, nonmembers: u64) -> Self {
        let decades = |n: u64| (n.max(10) as f64).log10().ceil().min(5.0);
        Axes {
            decades_x: decades(nonmembers),
            decades_y: decades(members).min(4.0),
        }
    }

    fn fpr_at(&self, column: usize) -> f64 {
        let share = column as f64 / (WIDTH - 1) as f64;
        10f64.powf(-self.decades_x * (1.0 - share))
    }

    /// Puts a mark at a height; what lies below the axis is not drawn.
    fn mark(&self, canvas: &mut [Vec<char>], column: usize, tpr: f64, mark: char) {
        let share = 1.0 + tpr.log10() / self.decades_y;
        if share >= 0.0 {
            let row = ((1.0 - share) * (HEIGHT - 1) as f64).round() as usize;
            canvas[row.min(HEIGHT - 1)][column] = mark;
        }
    }

    fn frame(&self, canvas: &[Vec<char>], attacks: &[&AttackMeasures]) -> Vec<String> {
        let mut lines = vec!["TPR (log scale)".to_string()];
        for (row, line) in canvas.iter().enumerate() {
            let share = 1.0 - row as f64 / (HEIGHT - 1) as f64;
            let label = match row {
                0 => "100%".to_string(),
                r if r == HEIGHT - 1 => percent(-self.decades_y),
                r if r == HEIGHT / 2 => percent(-self.decades_y * (1.0 - share)),
                _ => String::new(),
            };
            lines.push(format!("{label:>8} │{}", line.iter().collect::<String>()));
        }
        let left = percent(-self.decades_x);
        let (middle, right) = (percent(-self.decades_x / 2.0), "100% FPR");
        lines.push(format!("{:>8} └{}", "", "─".repeat(WIDTH)));
        let gap = WIDTH.saturating_sub(left.len() + right.len());
        lines.push(format!("{:>9} {left}{middle:^gap$}{right}", ""));
        lines.push(format!("{:>9} {}  · chance", "", legend(attacks)));
        lines
    }
}

fn legend(attacks: &[&AttackMeasures]) -> String {
    let names: Vec<String> = attacks
        .iter()
        .zip(MARKS)
        .map(|(attack, mark)| format!("{mark} {}", attack.id))
        .collect();
    names.join("  ")
}

/// Ten to a power, in per cent, with two digits.
fn percent(exponent: f64) -> String {
    let value = 10f64.powf(exponent + 2.0);
    let digits = (1.0 - value.log10().floor()).clamp(0.0, 5.0) as usize;
    let text = format!("{value:.digits$}");
    let trimmed = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{trimmed}%")
}
