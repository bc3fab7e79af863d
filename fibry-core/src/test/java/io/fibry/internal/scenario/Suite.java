package io.fibry.internal.scenario;

import io.fibry.Actor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The scenarios of one module, and the mutants that they find. A JVM that tries mutants makes it anew, by its class. */
interface Suite {
    List<Scenario> scenarios();

    /** With how many seeds the profile "thorough" plays each of them. */
    default int seeds() {
        return SuiteScenarios.MANY;
    }

    /** By the folder of their sources: all mutants that have a marker there, also those that another suite finds. */
    Map<Path, List<Mutant>> marked();

    /** One class of each module that the scenarios use. */
    default Stream<Class<?>> library() {
        return Stream.of(Actor.class);
    }

    /** Those that these scenarios find. */
    default List<Mutant> mutants() {
        var names = scenarios().stream().map(Scenario::name).toList();
        return marked().values().stream().flatMap(List::stream)
                .filter(mutant -> Stream.of(mutant.scenarios().split(",")).allMatch(names::contains))
                .toList();
    }

    default Scenario named(String name) {
        return scenarios().stream().filter(scenario -> scenario.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no scenario '" + name + "'"));
    }

    /** The one of a class with this name. */
    static Suite of(String className) throws ReflectiveOperationException {
        return (Suite) Class.forName(className).getDeclaredConstructor().newInstance();
    }
}
