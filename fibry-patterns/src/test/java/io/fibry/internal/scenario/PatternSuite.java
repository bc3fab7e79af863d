package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.pool.WorkerPool;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The scenarios of the patterns. They also find mistakes of the engine that no scenario without a pattern finds. */
final class PatternSuite implements Suite {
    @Override
    public List<Scenario> scenarios() {
        return List.of(new Pools(), new PoolCycles(), new Generators(), new Pipelines(), new TurnsGivenUp(),
                new HalfOpen(), new GeneratorsInScopes(),
                new LastMessages(), new SmallMailboxes(), new Observed(), new Machines());
    }

    @Override
    public int seeds() {
        return 5_000;
    }

    @Override
    public Stream<Class<?>> library() {
        return Stream.of(Actor.class, WorkerPool.class);
    }

    @Override
    public Map<Path, List<Mutant>> marked() {
        return Map.of(Markers.SOURCES, PatternMutants.ALL,
                Path.of("..", "fibry-core").resolve(Markers.SOURCES), Mutants.ALL);
    }
}
