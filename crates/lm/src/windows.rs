//! Texts longer than the context: overlapping windows, half a context apart, in which each token
//! is predicted once, and with at least half a context before it after the first window.

use crate::scores::Piece;

pub(crate) fn pieces(tokens: &[u32], context: usize) -> Vec<Piece<'_>> {
    let stride = (context / 2).max(1);
    let mut pieces = vec![Piece {
        tokens: &tokens[..tokens.len().min(context)],
        skip: 0,
    }];
    let mut predicted = tokens.len().min(context);
    let mut begin = 0;
    while predicted < tokens.len() {
        begin += stride;
        let end = tokens.len().min(begin + context);
        pieces.push(Piece {
            tokens: &tokens[begin..end],
            skip: predicted - begin - 1,
        });
        predicted = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_but_the_first_is_predicted_once_and_in_order() {
        let tokens: Vec<u32> = (0..100).collect();
        for length in 2..100 {
            for context in 2..20 {
                let pieces = pieces(&tokens[..length], context);
                let targets: Vec<u32> = pieces.iter().flat_map(Piece::targets).copied().collect();
                assert_eq!(targets, tokens[1..length]);
                for piece in &pieces {
                    assert!(piece.tokens.len() <= context);
                    assert!(!piece.targets().is_empty());
                }
                for piece in &pieces[1..] {
                    assert!(piece.skip + 1 >= context / 2);
                }
            }
        }
    }
}
