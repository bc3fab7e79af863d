package io.fibry.internal.clock;

import io.fibry.internal.mailbox.Quick;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Threads set limits and cancel others, while the timer thread takes all that were set and ends one after another. */
@Param(name = "number", gen = IntGen.class, conf = "0:9")
@Param(name = "id", gen = IntGen.class, conf = "0:3")
public class LimitsLincheckTest {
    /** The numbers of the limits that are set from the start. */
    private static final List<Integer> SET = List.of(14, 11, 13, 12);

    private final NewLimits fresh = new NewLimits(1);
    private final List<Limit> limits = SET.stream().map(this::add).toList();
    /** The timer thread's: what is left of the limits that it has taken. */
    private @Nullable Limit taken;

    private record Numbered(int number) implements Limited {
        @Override
        public long due() {
            return number;
        }

        @Override
        public void expire() {
            throw new AssertionError("only the wheel does that");
        }
    }

    private Limit add(int number) {
        var limit = new Limit(new Numbered(number));
        fresh.add(limit);
        return limit;
    }

    /** The same for one thread. */
    public static class Specification {
        private final List<Integer> set = new ArrayList<>(SET);
        private List<Integer> taken = new ArrayList<>();
        private final List<Integer> cancelled = new ArrayList<>();

        public void set(int number) {
            set.add(number);
        }

        public boolean cancel(int id) {
            var number = SET.get(id);
            var isThere = (set.contains(number) || taken.contains(number)) && !cancelled.contains(number);
            if (isThere) {
                cancelled.add(number);
            }
            return isThere;
        }

        public int end() {
            while (true) {
                if (taken.isEmpty()) {
                    taken = new ArrayList<>(set.reversed());
                    set.clear();
                }
                if (taken.isEmpty()) {
                    return -1;
                }
                var next = taken.removeFirst();
                if (!cancelled.contains(next)) {
                    return next;
                }
            }
        }
    }

    @Operation
    public void set(@Param(name = "number") int number) {
        add(number);
    }

    @Operation
    public boolean cancel(@Param(name = "id") int id) {
        return limits.get(id).take() != null;
    }

    @Operation(nonParallelGroup = "timer thread")
    public int end() {
        while (true) {
            if (taken == null) {
                taken = fresh.take(0);
            }
            var next = taken;
            if (next == null) {
                return -1;
            }
            taken = next.next;
            var limited = next.take();
            if (limited != null) {
                return (int) limited.due();
            }
        }
    }

    @Test
    void eachLimitEndsOnceOrIsCancelledInEveryInterleaving() {
        Quick.modelLonger(getClass(), Specification.class, 3);
    }

    @Test
    void eachLimitEndsOnceOrIsCancelledUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
