//! How much of their budgets callers have spent, in this process. A caller that has spent nothing for a day is forgotten, and of
//! very many those who came last.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use buildtrack_domain::budgets::Budget;

use crate::Store;

/// How many callers are remembered, each in some 200 bytes, and for how long.
const CALLERS: u64 = 50_000;
const REMEMBERED: Duration = Duration::from_hours(25);

type Account = Arc<Mutex<i64>>;

/// Subject → its TAT. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Budgets(moka::sync::Cache<String, Account>);

/// What was spent, of each budget; it may be given back.
#[derive(Debug)]
#[must_use]
pub struct Spent {
    accounts: Vec<(Account, Budget)>,
    cost: u64,
}

/// A budget that does not hold so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overdrawn {
    /// Which of those that were asked, from 0.
    pub index: usize,
    /// How long until it does.
    pub retry_after: Duration,
}

impl Budgets {
    pub(crate) fn new() -> Self {
        Self(moka::sync::Cache::builder().max_capacity(CALLERS).time_to_idle(REMEMBERED).build())
    }
}

impl Spent {
    /// Gives it back: nothing came of it.
    pub fn refund(self) {
        for (account, budget) in self.accounts {
            let mut tat = lock(&account);
            *tat = budget.refund(*tat, self.cost);
        }
    }
}

impl Store {
    /// Spends so many units of all of these budgets, each its subject's, or of none.
    pub fn spend_here(&self, budgets: &[(String, Budget)], cost: u64) -> Result<Spent, Overdrawn> {
        let now = self.clock.now().timestamp_nanos_opt().unwrap_or(i64::MAX);
        let mut spent = Spent { accounts: Vec::with_capacity(budgets.len()), cost };
        for (index, (subject, budget)) in budgets.iter().enumerate() {
            let account = self.budgets.0.get_with_by_ref(subject.as_str(), Arc::default);
            let overdrawn = {
                let mut tat = lock(&account);
                match budget.spend(*tat, now, cost) {
                    Some(next) => {
                        *tat = next;
                        None
                    }
                    None => Some(Overdrawn { index, retry_after: budget.retry_after(*tat, now, cost) }),
                }
            };
            if let Some(overdrawn) = overdrawn {
                spent.refund();
                return Err(overdrawn);
            }
            spent.accounts.push((account, *budget));
        }
        Ok(spent)
    }
}

fn lock(account: &Mutex<i64>) -> MutexGuard<'_, i64> {
    account.lock().unwrap_or_else(PoisonError::into_inner)
}
