//! Values over audits as a picture: one mark per audit with its interval, a line per folder.

use crate::markup::{Html, html};

pub struct Chart {
    pub title: String,
    pub axis: String,
    pub chance: Option<f64>,
    /// In the order in which they are drawn from left to right.
    pub points: Vec<Point>,
}

pub struct Point {
    pub group: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    /// What is said when somebody points at it.
    pub tip: String,
    /// Below the axis.
    pub label: String,
    pub link: String,
}

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 48.0;
/// Colours and marks before they repeat.
const STYLES: usize = 6;
/// Folders that are named in the legend.
const NAMED: usize = 12;

/// Where values lie in the picture.
struct Scale {
    low: f64,
    high: f64,
    points: usize,
}

impl Scale {
    fn of(chart: &Chart) -> Self {
        let values = chart.points.iter().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.value, point.value));
            [point.value, low, high]
        });
        let values = values.chain(chart.chance).filter(|value| value.is_finite());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let room = ((high - low) * 0.06).max(0.005);
        Self {
            low: low - room,
            high: high + room,
            points: chart.points.len(),
        }
    }

    fn y(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = (value - self.low) / (self.high - self.low);
        TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
    }

    fn x(&self, place: usize) -> f64 {
        let step = (WIDTH - LEFT - RIGHT) / self.points.max(1) as f64;
        LEFT + step * (place as f64 + 0.5)
    }

    /// Round numbers from bottom to top.
    fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0];
        let step = steps
            .iter()
            .map(|step| step * power)
            .find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|at| at as f64 * step).collect()
    }
}

pub fn chart(chart: &Chart) -> Html {
    if chart.points.is_empty() {
        return Html::default();
    }
    let scale = Scale::of(chart);
    let groups = groups(chart);
    let mut inside = grid(chart, &scale);
    for (place, group) in groups.iter().enumerate() {
        inside.push(&series(chart, &scale, group, place % STYLES));
    }
    html!(
        "<figure><svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"{}\">{}</svg>{}\
         <figcaption>Each mark is an audit, from the oldest on the left to the newest on the right; bars are \
         intervals. Audits of one kind in one folder are joined.</figcaption></figure>",
        WIDTH as u32,
        HEIGHT as u32,
        chart.title,
        inside,
        legend(&groups)
    )
}

/// In the order of their first audit.
fn groups(chart: &Chart) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for point in &chart.points {
        if !groups.contains(&point.group) {
            groups.push(point.group.clone());
        }
    }
    groups
}

fn at(place: f64) -> String {
    format!("{place:.1}")
}

fn grid(chart: &Chart, scale: &Scale) -> Html {
    let mut grid: Html = scale
        .ticks()
        .into_iter()
        .map(|tick| {
            let y = scale.y(tick);
            let label = format!("{tick:.4}");
            let label = label.trim_end_matches('0').trim_end_matches('.');
            html!(
                "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                at(LEFT),
                at(WIDTH - RIGHT),
                at(y),
                at(y),
                at(LEFT - 8.0),
                at(y + 4.0),
                if label == "-0" { "0" } else { label }
            )
        })
        .collect();
    if let Some(chance) = chart.chance {
        let y = at(scale.y(chance));
        grid.push(&html!(
            "<line class=\"chance\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"end\">chance</text>",
            at(LEFT),
            at(WIDTH - RIGHT),
            y,
            y,
            at(WIDTH - RIGHT),
            at(scale.y(chance) - 5.0)
        ));
    }
    let last = chart.points.len() - 1;
    let mut labelled = vec![0, last / 2, last];
    labelled.dedup();
    for place in labelled {
        let anchor = match place {
            0 if last > 0 => "start",
            place if place == last && last > 0 => "end",
            _ => "middle",
        };
        grid.push(&html!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
            at(scale.x(place)),
            at(HEIGHT - BOTTOM + 22.0),
            anchor,
            chart.points[place].label
        ));
    }
    let turned = format!("rotate(-90 16 {})", at(HEIGHT / 2.0));
    grid.push(&html!(
        "<text class=\"axis\" x=\"16\" y=\"{}\" text-anchor=\"middle\" transform=\"{}\">{}</text>",
        at(HEIGHT / 2.0),
        turned,
        chart.axis
    ));
    grid
}

fn series(chart: &Chart, scale: &Scale, group: &str, style: usize) -> Html {
    let own = || {
        let all = chart.points.iter().enumerate();
        all.filter(|(_, point)| point.group == group)
    };
    let path: Vec<String> = own()
        .map(|(place, point)| format!("{},{}", at(scale.x(place)), at(scale.y(point.value))))
        .collect();
    let line = html!("<polyline class=\"join\" points=\"{}\"/>", path.join(" "));
    let marks: Html = own()
        .map(|(place, point)| mark(scale, place, point, style))
        .collect();
    html!("<g class=\"series-{}\">{}{}</g>", style, line, marks)
}

fn mark(scale: &Scale, place: usize, point: &Point, style: usize) -> Html {
    let (x, y) = (scale.x(place), scale.y(point.value));
    let bar = point.interval.map_or_else(Html::default, |(low, high)| {
        html!(
            "<line class=\"bar\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
            at(x),
            at(x),
            at(scale.y(low)),
            at(scale.y(high))
        )
    });
    html!(
        "<a href=\"{}\" data-tip=\"{}\" aria-label=\"{}\">{}<rect class=\"target\" x=\"{}\" y=\"{}\" width=\"16\" height=\"16\"/>{}</a>",
        point.link,
        point.tip,
        point.tip,
        bar,
        at(x - 8.0),
        at(y - 8.0),
        shape(x, y, style)
    )
}

/// Groups differ by shape, not only by colour.
fn shape(x: f64, y: f64, style: usize) -> Html {
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners
            .iter()
            .map(|(right, down)| format!("{},{}", at(x + right), at(y + down)))
            .collect();
        html!("<polygon class=\"mark\" points=\"{}\"/>", corners.join(" "))
    };
    match style {
        0 => html!(
            "<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"4.5\"/>",
            at(x),
            at(y)
        ),
        1 => polygon(&[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)]),
        2 => polygon(&[(0.0, -5.5), (5.0, 4.0), (-5.0, 4.0)]),
        3 => polygon(&[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]),
        4 => polygon(&[(0.0, 5.5), (5.0, -4.0), (-5.0, -4.0)]),
        _ => polygon(&[(-6.0, -2.0), (6.0, -2.0), (6.0, 2.0), (-6.0, 2.0)]),
    }
}

fn legend(groups: &[String]) -> Html {
    if groups.len() < 2 {
        return Html::default();
    }
    let items: Html = groups
        .iter()
        .take(NAMED)
        .enumerate()
        .map(|(place, group)| {
            let style = place % STYLES;
            html!(
                "<li><svg class=\"key series-{}\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">{}</svg>{}</li>",
                style,
                shape(8.0, 8.0, style),
                group.as_str()
            )
        })
        .collect();
    let more = match groups.len().checked_sub(NAMED) {
        Some(more) if more > 0 => html!("<li>and {} more</li>", more),
        _ => Html::default(),
    };
    html!("<ul class=\"legend\">{}{}</ul>", items, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(group: &str, value: f64) -> Point {
        Point {
            group: group.into(),
            value,
            interval: Some((value - 0.1, value + 0.1)),
            tip: "<script>".into(),
            label: "now".into(),
            link: "/audits/a/".into(),
        }
    }

    #[test]
    fn any_values_give_a_picture() {
        for values in [
            vec![],
            vec![0.5],
            vec![f64::INFINITY, f64::NEG_INFINITY],
            vec![0.2, 1e9, -3.0],
        ] {
            let picture = chart(&Chart {
                title: "t".into(),
                axis: "AUC".into(),
                chance: Some(0.5),
                points: values.iter().map(|value| point("a", *value)).collect(),
            });
            let picture = picture.into_string();
            assert_eq!(picture.is_empty(), values.is_empty());
            assert!(
                !picture.contains("NaN")
                    && !picture.contains("<script>")
                    && !picture.contains("inf")
            );
            assert_eq!(picture.matches("data-tip").count(), values.len());
        }
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale {
            low: 0.43,
            high: 0.97,
            points: 3,
        };
        let ticks: Vec<String> = scale
            .ticks()
            .iter()
            .map(|tick| format!("{tick:.2}"))
            .collect();
        assert_eq!(ticks, ["0.60", "0.80"]);
    }
}
