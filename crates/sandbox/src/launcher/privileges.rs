//! The launcher's rights: the user, its groups and capabilities.

use rustix::{
    io::{Errno, Result},
    process::{Gid, Uid},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
        set_capabilities, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    },
};

/// The user and group that own no file.
const NOBODY: u32 = 65534;

/// Drops all capabilities for ever, and becomes `nobody` if asked to.
pub(super) fn drop_all(as_nobody: bool) -> Result<()> {
    set_no_new_privs(true)?;
    if as_nobody {
        let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        for capability in CapabilitySet::all().iter() {
            leave_out(capability)?;
        }
        set_thread_res_uid(user, user, user)?;
    }
    // Kernels before 4.3 have no ambient set; a process without `no_new_privs` could regain nothing from it anyway.
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Removes a capability from the bounding set. Needs a capability itself, and a kernel that knows the one to remove;
/// `no_new_privs` prevents that an executed program gains any, so that this is a second lock.
fn leave_out(capability: CapabilitySet) -> Result<()> {
    match remove_capability_from_bounding_set(capability) {
        Err(Errno::PERM | Errno::INVAL) | Ok(()) => Ok(()),
        Err(error) => Err(error),
    }
}
