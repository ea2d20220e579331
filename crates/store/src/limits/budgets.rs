//! Per-caller budgets (GCRA), in the memory of this process. The cache drops a caller that has spent nothing for 25 hours, and
//! evicts entries beyond its capacity, the newest callers first. No step of the wall clock affects them.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use buildtrack_domain::budgets::Budget;

use crate::limits::Limits;

/// Capacity of the cache, at some 200 bytes a caller, and its idle expiry.
const CALLERS: u64 = 50_000;
const IDLE_EXPIRY: Duration = Duration::from_hours(25);

type Account = Arc<Mutex<i64>>;

/// Subject → its theoretical arrival time (TAT), in nanoseconds. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Budgets(moka::sync::Cache<String, Account>);

/// Units spent of one or more budgets; [`Spent::refund`] returns them.
#[derive(Debug)]
#[must_use]
pub struct Spent {
    accounts: Vec<(Account, Budget)>,
    cost: u64,
}

/// A budget that has too few units left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetExceeded {
    /// Index of the budget in the request, from 0.
    pub index: usize,
    /// How long until it has enough.
    pub retry_after: Duration,
}

impl Budgets {
    pub(crate) fn new() -> Self {
        Self(moka::sync::Cache::builder().max_capacity(CALLERS).time_to_idle(IDLE_EXPIRY).build())
    }
}

impl Spent {
    /// Returns the units, because the request had no effect.
    pub fn refund(self) {
        for (account, budget) in self.accounts {
            let mut tat = lock(&account);
            *tat = budget.refund(*tat, self.cost);
        }
    }
}

impl Limits {
    /// Spends `cost` units of each of these budgets (each with its subject), or of none.
    pub fn spend_here(&self, budgets: &[(String, Budget)], cost: u64) -> Result<Spent, BudgetExceeded> {
        let now = self.clock.steady().timestamp_nanos_opt().unwrap_or(i64::MAX);
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
                    None => Some(BudgetExceeded { index, retry_after: budget.retry_after(*tat, now, cost) }),
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
