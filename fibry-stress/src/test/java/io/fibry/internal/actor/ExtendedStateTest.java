package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.function.Body;
import io.fibry.internal.mailbox.Cells;
import io.fibry.internal.mailbox.Quick;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first reason to end stays; each exit hook is run once, or its adder is told that it comes too late. */
@Tag("thorough")
public class ExtendedStateTest {
    private final Cell actor = Cells.unbounded();

    /** The same for one thread. */
    public static class Specification {
        private final List<Integer> hooks = new ArrayList<>();
        private String reason = "null";
        private boolean ran;

        public void askExit() {
            exit("EXIT");
        }

        public void force() {
            exit("FORCED");
        }

        private void exit(String why) {
            reason = "null".equals(reason) ? why : reason;
        }

        public String reason() {
            return reason;
        }

        public boolean addHook(int id) {
            return !ran && hooks.add(id);
        }

        public List<Integer> runHooks() {
            var now = List.copyOf(hooks);
            hooks.clear();
            ran = true;
            return now;
        }
    }

    @Operation
    public void askExit() {
        actor.extendedState().setExitReason(Reason.EXIT);
    }

    @Operation
    public void force() {
        actor.extendedState().setExitReason(Reason.FORCED);
    }

    @Operation
    public String reason() {
        return String.valueOf(actor.extendedState().exitReason());
    }

    @Operation
    public boolean addHook(int id) {
        return actor.extendedState().addHook(new Hook(id));
    }

    @Operation
    public List<Integer> runHooks() {
        return actor.extendedState().takeHooks().stream().map(hook -> ((Hook) hook).id()).toList();
    }

    private record Hook(int id) implements Body {
        @Override
        public void run() {
        }
    }

    @Test
    void theFirstReasonStaysAndHooksAreTakenOnceInEveryInterleaving() {
        Quick.model(getClass(), Specification.class, 3);
    }

    @Test
    void theFirstReasonStaysAndHooksAreTakenOnceUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
