import { type ConfiguredDestination, destinationOf, whereTableExists } from '@landfall/kernel/egress/configured';
import { type Channel, list } from './channels.store.ts';

/** Addresses of the services that a channel's configuration need not name. */
const USUAL: Readonly<Partial<Record<Channel['type'], string>>> = {
  slack: 'https://slack.com',
  pagerduty: 'https://events.pagerduty.com',
};

/** Destinations of a channel. Those of a sealed webhook address are in the record of egress decisions only. */
const destinationsOf = ({ name, type, config }: Channel): readonly ConfiguredDestination[] => {
  const source = `channel ${name}`;
  const { host, port } = config;
  if (typeof host === 'string' && typeof port === 'number')
    return [{ feature: 'notifier', source, host, port, transport: 'tcp' }];
  const address = [config.url, config.apiUrl, config.eventsUrl, USUAL[type]].find((each) => typeof each === 'string');
  return address === undefined ? [] : destinationOf('notifier', source, String(address));
};

/** Destinations of a tenant's channels. */
export const notifierDestinations = whereTableExists('notify.channels', async (query, tenant) =>
  (await list(query, tenant)).flatMap(destinationsOf),
);
