//! In which order documents are asked about: by lot, in rounds of one of each set, so that whatever is
//! asked before a budget ends is a random sample of every set, and a smaller sample is a part of a larger.

use formats::texts::LabelledDocument;
use stats::streams::Seed;

/// The places of all documents in the order of asking. A lot is drawn for a document by its own words
/// alone: neither the order in the files nor other documents move it.
pub fn asking_order(documents: &[LabelledDocument], seed: Seed) -> Vec<usize> {
    let lots: Vec<u64> = documents.iter().map(|listed| listed.lot(seed)).collect();
    let mut order: Vec<usize> = (0..documents.len()).collect();
    let by_lot = |place: &usize| (lots[*place], documents[*place].document.id.as_str());
    order.sort_by(|one, other| by_lot(one).cmp(&by_lot(other)));
    let mut asked = [0_usize; 3];
    let mut rounds = vec![0; documents.len()];
    for &place in &order {
        let set = match documents[place].member {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        };
        rounds[place] = asked[set];
        asked[set] += 1;
    }
    // Within a round by the lot's other half: the k-th smallest lot of a smaller set is the larger one.
    order.sort_by_key(|place| (rounds[*place], lots[*place].rotate_left(32)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use attacks::signals::probes::Document;

    fn listed(number: usize, member: Option<bool>) -> LabelledDocument {
        LabelledDocument {
            document: Document {
                id: number.to_string(),
                text: format!("text {number}"),
                ..Document::default()
            },
            member,
            topic: None,
            date: None,
        }
    }

    fn names(documents: &[LabelledDocument]) -> Vec<String> {
        let order = asking_order(documents, Seed(3)).into_iter();
        order
            .map(|place| documents[place].document.id.clone())
            .collect()
    }

    #[test]
    fn every_beginning_has_as_many_of_each_set() {
        let documents: Vec<_> = (0..90)
            .map(|number| listed(number, Some(number < 30)))
            .collect();
        let order = asking_order(&documents, Seed(3));
        for asked in [2, 10, 60] {
            let members = order[..asked]
                .iter()
                .filter(|place| documents[**place].member == Some(true))
                .count();
            assert_eq!(members, asked / 2, "{asked}");
        }
        // Neither set is always the first of its round.
        let first = order.chunks(2).take(30);
        let members = first
            .filter(|round| documents[round[0]].member == Some(true))
            .count();
        assert!((5..=25).contains(&members), "{members} of 30");
    }

    #[test]
    fn neither_the_order_of_files_nor_other_documents_move_a_document() {
        let documents: Vec<_> = (0..40)
            .map(|number| listed(number, Some(number % 2 == 0)))
            .collect();
        let mut turned = documents.clone();
        turned.reverse();
        assert_eq!(names(&documents), names(&turned));
        let fewer: Vec<_> = documents[..30].to_vec();
        let all = names(&documents);
        let kept = all
            .iter()
            .filter(|name| name.parse::<usize>().unwrap() < 30);
        let of_set = |names: &[String], set: usize| -> Vec<String> {
            let of_set = |name: &&String| name.parse::<usize>().unwrap() % 2 == set;
            names.iter().filter(of_set).cloned().collect()
        };
        let kept: Vec<String> = kept.cloned().collect();
        for set in [0, 1] {
            assert_eq!(of_set(&kept, set), of_set(&names(&fewer), set));
        }
    }
}
