package io.fibry.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdleWorkersTest {
    private static final int WORKERS = 20_000;

    private final Set<Integer> gone = new HashSet<>();
    private int looks;

    private final IdleWorkers<Integer> idle = new IdleWorkers<>(worker -> {
        looks++;
        return gone.contains(worker);
    });

    private void end(int worker, int living) {
        gone.add(worker);
        idle.noteGone(living);
    }

    @Test
    void theLatestIsTakenFirst() {
        idle.add(1);
        idle.add(2);
        assertThat(idle.size()).isEqualTo(2);
        assertThat(idle.poll()).isEqualTo(2);
        assertThat(idle.poll()).isEqualTo(1);
        assertThat(idle.poll()).isNull();
        assertThat(idle.mayHaveAny()).isFalse();
    }

    @Test
    void aWorkerThatHasStoppedIsNotCounted() {
        idle.add(1);
        idle.add(2);
        end(1, 1);
        assertThat(idle.size()).isEqualTo(1);
        end(2, 0);
        assertThat(idle.size()).isZero();
        assertThat(idle.mayHaveAny()).isFalse();
    }

    /** The steps grow with the number of workers, and not with its square. */
    @Test
    void manyWorkersThatStopTakeFewSteps() {
        var order = new ArrayList<Integer>();
        for (int n = 0; n < WORKERS; n++) {
            idle.add(n);
            order.add(n);
        }
        Collections.shuffle(order, new Random(1));
        var living = WORKERS;
        for (var worker : order) {
            end(worker, --living);
        }
        assertThat(looks).isLessThan(4 * WORKERS);
        assertThat(idle.mayHaveAny()).isFalse();
    }

    /** A pool that grows and shrinks keeps no more of them than it has workers. */
    @Test
    void workersThatComeAndGoDoNotPileUp() {
        for (int n = 0; n < WORKERS; n++) {
            idle.add(n);
            end(n, 4);
        }
        var left = 0;
        while (idle.poll() != null) {
            left++;
        }
        assertThat(left).isLessThanOrEqualTo(5);
        assertThat(looks).isLessThan(4 * WORKERS);
    }
}
