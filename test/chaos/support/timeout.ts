/** For every test and hook of the chaos project, which waits for leases, timeouts and restarts. */
import.meta.jest.setTimeout(150_000);
