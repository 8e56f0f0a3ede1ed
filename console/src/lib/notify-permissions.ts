import { hasScope } from './session.ts';

/** Scope that a page of notifications names where the user lacks it. */
export const NOTIFY_READ = 'notify.viewer';

export const mayReadNotifications = (): boolean => hasScope(NOTIFY_READ) || mayOperate();

/** Whether the user may retry deliveries, and silence. */
export const mayOperate = (): boolean => hasScope('notify.operator') || mayAdminister();

/** Whether the user may change channels, rules and templates. */
export const mayAdminister = (): boolean => hasScope('notify.admin');
