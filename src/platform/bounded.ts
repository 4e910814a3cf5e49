/**
 * The limits of an `LRUCache` with at most `count` entries that takes memory as they come. With `max`, it reserves the memory of all of
 * them when it is made: 2 MB for 50,000.
 */
export const bounded = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });
