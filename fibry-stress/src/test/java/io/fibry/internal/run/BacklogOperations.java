package io.fibry.internal.run;

import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.Cells;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;

/** One lane adds turns to a backlog and takes the newest, others take the oldest. */
public abstract class BacklogOperations {
    private static final int MOST = 64;

    private final Backlog backlog = new Backlog(1);
    private final List<Turn> turns = new ArrayList<>();
    private int pushed;

    /** With so many in it. */
    BacklogOperations(int atFirst) {
        var cell = Cells.unbounded();
        for (int i = 0; i < MOST; i++) {
            turns.add(new Turn(cell, new MessageNode(i)));
        }
        for (int i = 0; i < atFirst; i++) {
            push();
        }
    }

    private int number(@Nullable Job turn) {
        return turn == null ? -1 : turns.indexOf(turn);
    }

    /** The same for one thread. */
    public abstract static class Sequential {
        private final Deque<Integer> turns = new ArrayDeque<>();
        private int pushed;

        Sequential(int atFirst) {
            for (int i = 0; i < atFirst; i++) {
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
}
