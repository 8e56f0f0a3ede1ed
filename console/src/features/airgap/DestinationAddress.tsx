import { address, type Destination } from './destinations.ts';

/** Host and port of a destination, with its transport. */
export const DestinationAddress = ({ of }: { readonly of: Pick<Destination, 'host' | 'port' | 'transport'> }) => (
  <span>
    <span className="code">{address(of)}</span> <span className="small quiet">{of.transport}</span>
  </span>
);
