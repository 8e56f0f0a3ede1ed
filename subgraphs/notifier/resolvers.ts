import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from './generated.ts';
import { valuesOf } from './rules/rule-input.ts';
import { userOf } from './shared/user-reference.ts';

export const resolvers: Resolvers = {
  Query: {
    notificationChannels: (_, _args, { caller, channels }) => channels.list(caller, {}),
    notificationChannel: (_, args, { caller, channels }) => channels.get(caller, args),
    notificationRules: (_, _args, { caller, rules }) => rules.list(caller, {}),
    notificationRule: (_, args, { caller, rules }) => rules.get(caller, args),
    notificationPolicies: (_, _args, { caller, policies }) => policies.list(caller, {}),
    notificationTemplates: (_, _args, { caller, templates }) => templates.list(caller, {}),
    notificationTemplate: (_, args, { caller, templates }) => templates.get(caller, args),
    previewNotificationTemplate: async (_, args, { caller, templates }) => {
      const { message, limits, warnings } = await templates.preview(caller, args);
      const { subject = null, text = null } = message;
      return { ...message, subject, text, limits, warnings };
    },
    shippedNotificationTemplates: (_, args, { caller, templates }) => templates.shipped(caller, args),
    testNotificationRule: (_, args, { caller, testRule }) => testRule(caller, args),
    replayNotificationRouting: (_, args, { caller, replay }) => replay(caller, args),
    myContactMethods: (_, _args, { caller, contactMethods }) => contactMethods.list(caller, {}),
    contactChannels: (_, _args, { caller, contactMethods }) => contactMethods.listChannels(caller, {}),
    myNotificationPreferences: (_, _args, { caller, preferences }) => preferences.get(caller, {}),
    notificationEvents: async (_, args, { caller, explanation }) => connectionOf(await explanation.list(caller, args)),
    explainNotificationEvent: (_, args, { caller, explanation }) => explanation.explain(caller, args),
    notificationDeliveries: async (_, args, { caller, deliveries }) =>
      connectionOf(await deliveries.list(caller, args)),
    notificationDelivery: (_, args, { caller, deliveries }) => deliveries.get(caller, args),
    notificationDeliveryStats: (_, args, { caller, deliveries }) => deliveries.stats(caller, args),
    deadLetters: async (_, args, { caller, deadLetters }) => connectionOf(await deadLetters.list(caller, args)),
    deadLetter: (_, args, { caller, deadLetters }) => deadLetters.get(caller, args),
    notificationSuppressions: async (_, args, { caller, deliveries }) =>
      connectionOf(await deliveries.suppressions(caller, args)),
  },
  Mutation: {
    createNotificationChannel: (_, { input }, { caller, channels }) => channels.create(caller, input),
    updateNotificationChannel: (_, { input }, { caller, channels }) => channels.update(caller, input),
    setNotificationChannelEnabled: (_, { input }, { caller, channels }) => channels.setEnabled(caller, input),
    removeNotificationChannel: (_, { input }, { caller, channels }) => channels.remove(caller, input),
    rotateWebhookSecret: (_, { input }, { caller, secrets }) => secrets.rotate(caller, input),
    testNotificationChannel: (_, { input }, { caller, testChannel }) => testChannel(caller, input),
    createNotificationRule: (_, { input }, { caller, rules }) => rules.create(caller, input),
    updateNotificationRule: (_, { input }, { caller, rules }) => rules.update(caller, input),
    removeNotificationRule: (_, { input }, { caller, rules }) => rules.remove(caller, input),
    createSilence: (_, { input }, { caller, policies }) => policies.createSilence(caller, input),
    createMaintenance: (_, { input }, { caller, policies }) => policies.createMaintenance(caller, input),
    createTimeInterval: (_, { input }, { caller, policies }) => policies.createTimeInterval(caller, input),
    createInhibition: (_, { input }, { caller, policies }) => policies.createInhibition(caller, input),
    createFlappingPolicy: (_, { input }, { caller, policies }) => policies.createFlapping(caller, input),
    createQuietHours: (_, { input }, { caller, policies }) => policies.createQuietHours(caller, input),
    endNotificationPolicy: (_, { input }, { caller, policies }) => policies.end(caller, input),
    saveNotificationTemplate: (_, { input }, { caller, templates }) => templates.save(caller, input),
    publishNotificationTemplate: (_, { input }, { caller, templates }) => templates.publish(caller, input),
    removeNotificationTemplate: (_, { input }, { caller, templates }) => templates.remove(caller, input),
    addContactMethod: (_, { input }, { caller, contactMethods }) => contactMethods.add(caller, input),
    resendContactMethodCode: (_, { input }, { caller, contactMethods }) => contactMethods.resendCode(caller, input),
    confirmContactMethod: (_, { input }, { caller, contactMethods }) => contactMethods.confirm(caller, input),
    setContactMethodMutedKinds: (_, { input }, { caller, contactMethods }) =>
      contactMethods.setMutedKinds(caller, input),
    removeContactMethod: (_, { input }, { caller, contactMethods }) => contactMethods.remove(caller, input),
    setMyNotificationPreferences: (_, { input }, { caller, preferences }) => preferences.set(caller, input),
    retryNotificationDelivery: (_, { input }, { caller, deliveries }) => deliveries.retry(caller, input),
    retryDeadLetters: (_, { input }, { caller, deadLetters }) => deadLetters.retry(caller, input),
    discardDeadLetter: (_, { input }, { caller, deadLetters }) => deadLetters.discard(caller, input),
  },
  NotificationChannel: {
    config: ({ config }) => JSON.stringify(config),
    secrets: ({ id, type }, _, { loaders }) => (type === 'webhook' ? loaders.secretsOf(id) : []),
  },
  NotificationRule: {
    matchers: ({ definition }) => definition.matchers,
    continues: ({ definition }) => definition.continues,
    actions: ({ definition }) => definition.actions,
  },
  NotificationMatcher: { values: valuesOf },
  NotificationAction: {
    channel: async ({ channelId }, _, { loaders }) => (channelId && (await loaders.channel(channelId))) || null,
  },
  NotificationRecipients: {
    approvers: ({ approvers = false }) => approvers,
    userIds: ({ userIds = [] }) => userIds,
    users: ({ userIds = [] }) => userIds.map(userOf),
    roles: ({ roles = [] }) => roles,
  },
  PlannedNotification: {
    channel: async ({ channelId }, _, { loaders }) => (channelId && (await loaders.channel(channelId))) || null,
  },
  ReplayedChannel: {
    channel: async ({ channelId }, _, { loaders }) => (await loaders.channel(channelId)) ?? null,
  },
  ShippedNotificationTemplate: { document: (document) => JSON.stringify(document) },
  NotificationPolicy: { document: ({ document }) => JSON.stringify(document) },
  NotificationTemplate: {
    draft: ({ draft }) => JSON.stringify(draft),
    published: ({ published }) => (published === null ? null : JSON.stringify(published)),
  },
  NotificationEvent: {
    attributes: ({ attributes }) => Object.entries(attributes).map(([name, value]) => ({ name, value })),
    payload: ({ payload }) => JSON.stringify(payload),
  },
  GroupedNotification: {
    recipient: ({ recipient }) => (recipient === null ? null : userOf(recipient)),
    delivery: async ({ deliveryId }, _, { loaders }) =>
      deliveryId === null ? null : ((await loaders.delivery(deliveryId)) ?? null),
  },
  NotificationSuppression: { recipient: ({ recipient }) => (recipient === null ? null : userOf(recipient)) },
  NotificationDelivery: {
    recipient: ({ recipient }) => (recipient === null ? null : userOf(recipient)),
    attemptCount: ({ attempts }) => attempts,
    event: async ({ eventId }, _, { loaders }) => (await loaders.event(eventId)) ?? null,
    attempts: ({ id }, _, { loaders }) => loaders.attemptsOf(id),
    channel: async ({ channelId }, _, { loaders }) => (await loaders.channel(channelId)) ?? null,
    message: ({ id }, _, { loaders }) => loaders.message(id),
  },
  DeadLetter: {
    delivery: async ({ deliveryId }, _, { loaders }) => (await loaders.delivery(deliveryId)) ?? null,
  },
};
