package io.fibry.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Seeds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimerHeapTest {
    private static final Runnable NOTHING = () -> {
    };

    private final TimerHeap heap = new TimerHeap(NOTHING);

    private PendingTimer add(long due) {
        var timer = new PendingTimer(heap, due, NOTHING);
        heap.add(timer);
        return timer;
    }

    /** Takes the first one out, as the timer thread does. */
    private PendingTimer takeFirst() {
        var first = heap.first;
        assertThat(heap.takeDue(first.due)).isNotNull();
        return first;
    }

    @Test
    void agreesWithASortedListWhateverIsDone() {
        Seeds.playAll("-Dtest=TimerHeapTest", 300, seed -> {
            var random = new SplittableRandom(seed);
            var all = new TimerHeap(NOTHING);
            var model = new ArrayList<PendingTimer>();
            for (int step = 0; step < 400; step++) {
                if (model.isEmpty() || random.nextInt(100) < 30 + 40 * (step / 100 % 2)) {
                    var timer = new PendingTimer(all, Long.MAX_VALUE - 20 + random.nextInt(40), NOTHING);
                    var isEarliest = all.add(timer);
                    model.add(timer);
                    model.sort(Comparator.comparingLong((PendingTimer t) -> t.due - Long.MAX_VALUE)
                            .thenComparingInt(t -> t.number));
                    assertThat(isEarliest).isEqualTo(model.getFirst() == timer);
                } else {
                    var gone = model.remove(random.nextInt(model.size()));
                    assertThat(gone.cancel()).isTrue();
                    assertThat(gone.cancel()).isFalse();
                    assertThat(gone.task).isNull();
                }
                assertThat(all.size()).isEqualTo(model.size());
                assertThat(all.first).isSameAs(model.isEmpty() ? null : model.getFirst());
            }
            for (var expected : model) {
                var first = all.first;
                assertThat(first).isSameAs(expected);
                assertThat(all.takeDue(first.due)).isNotNull();
            }
            assertThat(all.first).isNull();
        });
    }

    @Test
    void thoseOfOneTimeGoInTheOrderInWhichTheyWereSet() {
        var set = new ArrayList<PendingTimer>();
        for (int i = 0; i < 100; i++) {
            set.add(add(7));
        }
        var taken = new ArrayList<PendingTimer>();
        for (int i = 0; i < 100; i++) {
            taken.add(takeFirst());
        }
        assertThat(taken).isEqualTo(set);
    }

    @Test
    void theClockMayOverflow() {
        var late = add(Long.MIN_VALUE + 5);
        var early = add(Long.MAX_VALUE - 5);
        assertThat(List.of(takeFirst(), takeFirst())).containsExactly(early, late);
    }

    @Test
    void aTimerIsNotTakenBeforeItsTime() {
        var timer = add(10);
        assertThat(heap.takeDue(9)).isNull();
        assertThat(heap.takeDue(10)).isSameAs(NOTHING);
        assertThat(heap.takeDue(10)).isNull();
        assertThat(timer.cancel()).isFalse();
    }
}
