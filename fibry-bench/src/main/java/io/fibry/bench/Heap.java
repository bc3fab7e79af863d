package io.fibry.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;

/** Reads how full the heap is. */
final class Heap {
    private static final int MAX_COLLECTIONS = 30;
    private static final int SAME_IN_A_ROW = 3;
    private static final long NOISE = 2_048;

    private Heap() {
    }

    /**
     * Returns the size of the objects that are alive. Collects garbage until three collections in a row find the same
     * size.
     */
    static long live() throws InterruptedException {
        long before = Long.MAX_VALUE;
        int same = 0;
        for (int i = 0; i < MAX_COLLECTIONS && same < SAME_IN_A_ROW; i++) {
            System.gc();
            Thread.sleep(5); // references are cleared by a thread of the JVM
            long now = afterCollection();
            same = Math.abs(now - before) <= NOISE ? same + 1 : 0;
            before = now;
        }
        return before;
    }

    /**
     * Returns the size after the last collection. The size in use now is larger by megabytes, for the buffer of each
     * thread.
     */
    private static long afterCollection() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed()).sum();
    }

    static long used() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
