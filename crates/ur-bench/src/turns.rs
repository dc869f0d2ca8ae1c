//! Samples of several participants in turn.

/// Has each of `count` participants give `samples` samples, in turn: there and back, so that nobody
/// always follows the same neighbour. The samples of each.
///
/// # Errors
/// The first failure of a sample.
pub fn alternate<T>(
    count: usize,
    samples: usize,
    mut sample: impl FnMut(usize) -> Result<T, String>,
) -> Result<Vec<Vec<T>>, String> {
    let mut all: Vec<Vec<T>> = (0..count).map(|_| Vec::with_capacity(samples)).collect();
    for round in 0..samples {
        let mut order: Vec<usize> = (0..count).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            all[at].push(sample(at)?);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::alternate;

    #[test]
    fn turns_go_there_and_back() {
        let mut order = Vec::new();
        let all = alternate(3, 3, |at| {
            order.push(at);
            Ok(order.len() as f64)
        });
        assert_eq!(order, [0, 1, 2, 2, 1, 0, 0, 1, 2]);
        assert_eq!(
            all,
            Ok(vec![
                vec![1.0, 6.0, 7.0],
                vec![2.0, 5.0, 8.0],
                vec![3.0, 4.0, 9.0]
            ])
        );
    }

    #[test]
    fn a_failure_ends_it() {
        let all = alternate(2, 2, |at| {
            if at == 1 {
                Err("no".to_owned())
            } else {
                Ok(1.0)
            }
        });
        assert_eq!(all, Err("no".to_owned()));
    }
}
