package io.fibry.pool;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.Recipient;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** How a router chooses. */
final class Choices {
    private Choices() {
    }

    /** One way to choose. */
    interface Choice<M, R extends @Nullable Object> {
        /**
         * Returns what chooses among these recipients: the index of one of them for a message. Throws {@link
         * IllegalArgumentException} if it cannot choose among them.
         */
        ToIntFunction<M> among(List<Recipient<M, R>> targets);
    }

    /** Tells whether a recipient takes messages, as far as that can be seen. */
    static boolean isOpen(Recipient<?, ?> target) {
        if (target instanceof Actor<?, ?> actor) {
            var state = actor.state();
            return state != ActorState.STOPPING && state != ActorState.STOPPED;
        }
        if (target instanceof Routes<?, ?> routes) {
            for (var each : routes.targets()) {
                if (isOpen(each)) {
                    return true;
                }
            }
            return false;
        }
        return !(target instanceof Workers<?, ?> pool) || pool.isOpen();
    }

    /** Returns how much an actor or a pool has to do. */
    static long load(Recipient<?, ?> target) {
        if (target instanceof Actor<?, ?> actor) {
            return actor.mailboxSize() + (actor.state() == ActorState.IDLE ? 0L : 1L);
        }
        if (target instanceof WorkerPool<?, ?> pool) {
            return (long) pool.waiting() + pool.busy();
        }
        throw new IllegalArgumentException("it is not known how much " + target
                + " has to do: give leastLoaded a function that returns this");
    }

    /** Returns the first open one from an index on, or the one at the index if all have stopped. */
    private static <M, R extends @Nullable Object> int openFrom(int start, List<Recipient<M, R>> targets) {
        for (int i = 0; i < targets.size(); i++) {
            var index = (start + i) % targets.size();
            if (isOpen(targets.get(index))) {
                return index;
            }
        }
        return start;
    }

    /** By turns. */
    static final class Turns<M, R extends @Nullable Object> implements Choice<M, R> {
        private final AtomicInteger next = new AtomicInteger();

        @Override
        public ToIntFunction<M> among(List<Recipient<M, R>> targets) {
            return message -> openFrom(Math.floorMod(next.getAndIncrement(), targets.size()), targets);
        }
    }

    /** By chance. */
    record Any<M, R extends @Nullable Object>(RandomGenerator random) implements Choice<M, R> {
        Any {
            Objects.requireNonNull(random, "random");
        }

        @Override
        public ToIntFunction<M> among(List<Recipient<M, R>> targets) {
            return message -> openFrom(random.nextInt(targets.size()), targets);
        }
    }

    /** By load. */
    static final class Least<M, R extends @Nullable Object> implements Choice<M, R> {
        private final ToLongFunction<? super Recipient<M, R>> load;
        private final AtomicInteger next = new AtomicInteger();

        Least(ToLongFunction<? super Recipient<M, R>> load) {
            this.load = Objects.requireNonNull(load, "load");
        }

        @Override
        public ToIntFunction<M> among(List<Recipient<M, R>> targets) {
            var unused = targets.stream().mapToLong(load).max(); // throws if the function cannot tell the load of one
            return message -> least(targets);
        }

        private int least(List<Recipient<M, R>> targets) {
            var start = Math.floorMod(next.getAndIncrement(), targets.size());
            var best = -1;
            var least = Long.MAX_VALUE;
            for (int i = 0; i < targets.size(); i++) {
                var index = (start + i) % targets.size();
                var target = targets.get(index);
                if (isOpen(target)) {
                    var mine = load.applyAsLong(target);
                    if (best < 0 || mine < least) {
                        best = index;
                        least = mine;
                    }
                }
            }
            return best < 0 ? start : best;
        }
    }

    /** By key: the open recipient whose name and the key give the highest number, so each key has an order of its own. */
    record ByKey<M, R extends @Nullable Object>(Function<? super M, ?> keyOf) implements Choice<M, R> {
        ByKey {
            Objects.requireNonNull(keyOf, "keyOf");
        }

        @Override
        public ToIntFunction<M> among(List<Recipient<M, R>> targets) {
            var names = new HashSet<String>();
            var numbers = new long[targets.size()]; // some recipients make their name anew each time
            for (int i = 0; i < numbers.length; i++) {
                var name = targets.get(i).name();
                if (!names.add(name)) {
                    throw new IllegalArgumentException("two recipients are named '" + name
                            + "', and a router by key tells them by their names: give each another name");
                }
                for (int at = 0; at < name.length(); at++) { // names may share their hash code
                    numbers[i] = mixed(numbers[i] ^ name.charAt(at));
                }
            }
            return message -> {
                var key = mixed(
                        Objects.requireNonNull(keyOf.apply(message), "the key of a message").hashCode());
                var best = highest(targets, numbers, key, true);
                return best >= 0 ? best : highest(targets, numbers, key, false);
            };
        }

        private static <M, R extends @Nullable Object> int highest(List<Recipient<M, R>> targets,
                long[] numbers,
                long key, boolean onlyOpen) {
            var best = -1;
            var highest = Long.MIN_VALUE;
            for (int i = 0; i < numbers.length; i++) {
                var mine = mixed(key ^ numbers[i]);
                if ((best < 0 || mine > highest) && (!onlyOpen || isOpen(targets.get(i)))) {
                    best = i;
                    highest = mine;
                }
            }
            return best;
        }

        /** The last step of SplitMix64: each bit of the number changes about half of the bits of the result. */
        private static long mixed(long number) {
            var z = number + 0x9E3779B97F4A7C15L;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }
}
