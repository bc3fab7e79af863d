package io.fibry.internal.clock;

import io.fibry.internal.mailbox.Quick;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads set timers and cancel others, while one runs those that are due. */
@Param(name = "time", gen = IntGen.class, conf = "0:9")
@Param(name = "id", gen = IntGen.class, conf = "0:3")
@Tag("thorough")
public class TimerHeapLincheckTest {
    /** When those are due that are set from the start. No other one is due then. */
    private static final List<Integer> SET = List.of(14, 11, 13, 12);
    private static final int OFTEN = 2;

    private final TimerHeap heap = new TimerHeap(() -> {
    });
    private final List<PendingTimer> timers = SET.stream().map(this::add).toList();
    /** The timer thread's. */
    private int ran;

    private PendingTimer add(int due) {
        var timer = new PendingTimer(heap, due, () -> ran = due);
        heap.add(timer);
        return timer;
    }

    /** The same for one thread. */
    public static class Specification {
        private final List<Integer> set = new ArrayList<>(SET);

        public boolean set(int time) {
            set.add(time);
            return set.stream().filter(t -> t <= time).count() == 1;
        }

        public boolean cancel(int id) {
            return set.remove(SET.get(id));
        }

        public int runDue(int time) {
            var next = set.stream().min(Integer::compare);
            if (next.isEmpty() || next.get() > OFTEN * time) {
                return -1;
            }
            set.remove(next.get());
            return next.get();
        }

        public int size() {
            return set.size();
        }
    }

    @Operation
    public boolean set(@Param(name = "time") int time) {
        return heap.add(new PendingTimer(heap, time, () -> ran = time));
    }

    @Operation
    public boolean cancel(@Param(name = "id") int id) {
        return timers.get(id).cancel();
    }

    @Operation
    public int size() {
        return heap.size();
    }

    @Operation(nonParallelGroup = "timer thread")
    public int runDue(@Param(name = "time") int time) {
        var task = heap.takeDue(OFTEN * time);
        if (task == null) {
            return -1;
        }
        task.run();
        return ran;
    }

    @Test
    void eachTimerRunsOnceOrIsCancelledInEveryInterleaving() {
        Quick.modelLonger(getClass(), Specification.class, 3);
    }

    @Test
    void eachTimerRunsOnceOrIsCancelledUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
