/** Pages of entities in the audit trail, by type. Other entities are shown by id. */
const PAGES = {
  Product: '/products/$id',
  Release: '/releases/$id',
  Deployment: '/deployments/$id',
  Environment: '/environments/$id',
  Agent: '/agents/$id',
  Scan: '/scans/$id',
  VexSource: '/scans/vex/$id',
  User: '/access/people/$id',
  Client: '/access/clients/$id',
  NotificationChannel: '/notify/channels/$id',
  NotificationDelivery: '/notify/deliveries/$id',
  NotificationRule: '/notify/rules/$id',
} as const;

type EntityPage = (typeof PAGES)[keyof typeof PAGES];

const isPaged = (entity: string): entity is keyof typeof PAGES => Object.hasOwn(PAGES, entity);

/** Path of the page of an entity of this type; undefined where it has none. */
export const entityPage = (entity: string): EntityPage | undefined => (isPaged(entity) ? PAGES[entity] : undefined);
