import { once } from 'node:events';
import { connect } from 'node:net';

/** Whether a server accepts connections at this port. */
export const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const opened = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
    () => false,
  );
  socket.destroy();
  return opened;
};
