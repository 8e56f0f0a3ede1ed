/** Scopes that read deliveries, rules, channels and templates; any one suffices (rulings 31). */
export const NOTIFY_READ: readonly string[] = ['notify.viewer', 'notify.operator', 'notify.admin'];

/** Scopes that ingest events, retry and acknowledge; any one suffices. */
export const NOTIFY_OPERATE: readonly string[] = ['notify.operator', 'notify.admin'];

/** Scope that edits rules, channels and templates and rotates secrets. */
export const NOTIFY_ADMIN: readonly string[] = ['notify.admin'];

/** Scopes of the people who may be told of something: those of the notifier and of the console's readers. */
export const PERSONAL: readonly string[] = [...NOTIFY_READ, 'orch:read', 'release:read'];
