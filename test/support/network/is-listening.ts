import { once } from 'node:events';
import { connect } from 'node:net';

/** Whether something accepts connections on this port of 127.0.0.1. */
export const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const opened = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
    () => false,
  );
  socket.destroy();
  return opened;
};
