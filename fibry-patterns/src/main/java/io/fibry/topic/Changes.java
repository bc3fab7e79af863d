package io.fibry.topic;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The changes that wait for one observer. Guarded by the lock of what is observed. */
sealed interface Changes<C> {
    /** {@return how many changes will never be seen because of this one} */
    int add(C change);

    /** Adds what an observer begins with, whatever the bound is. */
    void begin(List<C> present);

    @Nullable C poll();

    /** {@return the change that is polled next; null if there is none} */
    @Nullable C peek();

    int size();

    void clear();

    /** Each change, up to a bound; of more of them the oldest ones are dropped. */
    final class All<C> implements Changes<C> {
        private final Deque<C> first = new ArrayDeque<>();
        private final Deque<C> later = new ArrayDeque<>();
        private final int most;

        All(int most) {
            this.most = most;
        }

        @Override
        public int add(C change) {
            int dropped = 0;
            while (later.size() >= most) {
                later.poll();
                dropped++;
            }
            later.add(change);
            return dropped;
        }

        @Override
        public void begin(List<C> present) {
            first.addAll(present);
        }

        @Override
        public @Nullable C poll() {
            return first.isEmpty() ? later.poll() : first.poll();
        }

        @Override
        public @Nullable C peek() {
            return first.isEmpty() ? later.peek() : first.peek();
        }

        @Override
        public int size() {
            return first.size() + later.size();
        }

        @Override
        public void clear() {
            first.clear();
            later.clear();
        }
    }

    /** The latest change. */
    final class Latest<C> implements Changes<C> {
        private @Nullable C latest;

        @Override
        public int add(C change) {
            var dropped = size();
            latest = change;
            return dropped;
        }

        @Override
        public void begin(List<C> present) {
            present.forEach(this::add);
        }

        @Override
        public @Nullable C poll() {
            var next = latest;
            latest = null;
            return next;
        }

        @Override
        public @Nullable C peek() {
            return latest;
        }

        @Override
        public int size() {
            return latest == null ? 0 : 1;
        }

        @Override
        public void clear() {
            latest = null;
        }
    }
}
