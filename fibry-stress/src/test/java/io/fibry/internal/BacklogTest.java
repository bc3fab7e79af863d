package io.fibry.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One lane adds and takes the newest, others take the oldest. It is nearly full at first, so that it has to grow. */
public class BacklogTest {
    private static final int AT_FIRST = 31;

    private final Backlog backlog = new Backlog(1);
    private final List<Turn> turns = new ArrayList<>();
    private int pushed;

    /** With something in it. */
    public BacklogTest() {
        var cell = Cells.unbounded();
        for (int i = 0; i < 2 * AT_FIRST; i++) {
            turns.add(new Turn(cell, new MessageNode(i)));
        }
        for (int i = 0; i < AT_FIRST; i++) {
            push();
        }
    }

    private int number(@Nullable Turn turn) {
        return turn == null ? -1 : turns.indexOf(turn);
    }

    /** The same for one thread. */
    public static class Specification {
        private final Deque<Integer> turns = new ArrayDeque<>();
        private int pushed;

        /** With something in it. */
        public Specification() {
            for (int i = 0; i < AT_FIRST; i++) {
                push();
            }
        }

        public final int push() {
            turns.addLast(pushed);
            return pushed++;
        }

        public int pop() {
            var last = turns.pollLast();
            return last == null ? -1 : last;
        }

        public int steal() {
            var first = turns.pollFirst();
            return first == null ? -1 : first;
        }
    }

    @Operation(nonParallelGroup = "owner")
    public final int push() {
        backlog.push(turns.get(pushed));
        return pushed++;
    }

    @Operation(nonParallelGroup = "owner")
    public int pop() {
        return number(backlog.pop());
    }

    @Operation
    public int steal() {
        return number(backlog.steal());
    }

    @Test
    void givesEachTurnOnceInEveryInterleaving() {
        Quick.modelLonger(getClass(), Specification.class, 3);
    }

    @Test
    void givesEachTurnOnceUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
