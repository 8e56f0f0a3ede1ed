import type { Command, CommandHost, ListedCommand } from '@landfall/kernel/operator/command';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import { commandHost } from './commands/installation.ts';

/** A listed command that is ready to be loaded. */
export interface ReadyCommand extends Omit<ListedCommand, 'load'> {
  load(): Promise<Command>;
}

/** Commands that modules bring along. */
export const moduleCommands = (
  installed: readonly InstalledModule[] = MODULES,
  host: CommandHost = commandHost,
): readonly ReadyCommand[] =>
  installed.flatMap(({ commands = [] }) => commands.map((command) => ({ ...command, load: () => command.load(host) })));
