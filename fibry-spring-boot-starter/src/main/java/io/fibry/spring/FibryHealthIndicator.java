package io.fibry.spring;

import io.fibry.ActorScope;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.ScopeDump.State;
import java.util.LinkedHashMap;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Down if an actor is stuck, out of service if a scope is being closed or is closed. */
final class FibryHealthIndicator extends AbstractHealthIndicator {
    private static final DumpOptions SUMS = DumpOptions.defaults().withActors(0).withFrames(0);

    private final List<Watched> scopes;

    private record Watched(ActorScope scope, StuckActors stuck) {
    }

    FibryHealthIndicator(List<ActorScope> scopes) {
        super("the actors cannot be looked at");
        this.scopes = scopes.stream().map(FibryHealthIndicator::watched).toList();
    }

    private static Watched watched(ActorScope scope) {
        var stuck = new StuckActors();
        scope.listen(stuck); // ends with the scope
        return new Watched(scope, stuck);
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        var status = Status.UP;
        var all = new LinkedHashMap<String, Object>();
        for (var each : scopes) {
            var sums = each.scope().dump(SUMS).scope();
            var stuck = each.stuck().look(each.scope());
            if (!stuck.isEmpty()) {
                status = Status.DOWN;
            } else if (sums.state() != State.OPEN && status == Status.UP) {
                status = Status.OUT_OF_SERVICE;
            }
            var details = new LinkedHashMap<String, Object>();
            details.put("state", sums.state());
            details.put("actors", sums.allActors());
            details.put("waiting", sums.allWaiting());
            details.put("stuck", stuck);
            var name = sums.name(); // others may have the same
            all.put(all.containsKey(name) ? name + " (" + (all.size() + 1) + ")" : name, details);
        }
        health.status(status).withDetails(all);
    }
}
