import { eventsOf } from '@landfall/kernel/events/write';

export const userEvent = eventsOf('User');
