package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.mailbox.Cells;
import io.fibry.internal.mailbox.Quick;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One name, two actors that want it, and messages that wait for whoever gets it. */
@Param(name = "actor", gen = IntGen.class, conf = "0:1")
@Tag("thorough")
public class NamesLincheckTest {
    private static final String NAME = "name";
    private static final int BOUND = 2;

    private final Names names = new Names();
    private final List<Cell> actors = List.of(Cells.unbounded(), Cells.unbounded());

    /** The same for one thread. */
    public static class Specification {
        private final List<Object> kept = new ArrayList<>();
        private int owner = -1;

        public String take(int actor) {
            if (owner >= 0 && owner != actor) {
                return "taken";
            }
            var handedOver = kept.toString();
            kept.clear();
            owner = actor;
            return handedOver;
        }

        public void free(int actor) {
            if (owner == actor) {
                owner = -1;
            }
        }

        public int find() {
            return owner;
        }

        public boolean keep(int message) {
            return owner < 0 && kept.size() < BOUND && kept.add(message);
        }

        public String takeKept() {
            var taken = kept.toString();
            kept.clear();
            return taken;
        }
    }

    @Operation
    public String take(@Param(name = "actor") int actor) {
        var handedOver = new ArrayList<Object>();
        return names.take(NAME, actors.get(actor),
                nodes -> nodes.forEach(node -> handedOver.add(node.content())))
                        ? handedOver.toString() : "taken";
    }

    @Operation
    public void free(@Param(name = "actor") int actor) {
        names.free(NAME, actors.get(actor));
    }

    @Operation
    public int find() {
        return names.find(NAME).map(actors::indexOf).orElse(-1);
    }

    @Operation
    public boolean keep(int message) {
        return names.keep(NAME, new MessageNode(message), BOUND);
    }

    @Operation
    public String takeKept() {
        return names.takeKept().stream().map(Names.NoActor::message).map(Objects::requireNonNull).toList()
                .toString();
    }

    @Test
    void aNameHasOneOwnerAndLosesNoMessageInEveryInterleaving() {
        Quick.modelLonger(getClass(), Specification.class, 3);
    }

    @Test
    void aNameHasOneOwnerAndLosesNoMessageUnderStress() {
        Quick.stress(getClass(), Specification.class, 3);
    }
}
