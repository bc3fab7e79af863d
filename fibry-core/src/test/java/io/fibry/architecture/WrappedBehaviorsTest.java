package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.fibry.internal.actor.Behavior;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * A behavior around another one passes each call on. A default method of {@link Behavior} that it does not override hides what
 * the inner behavior says, so each such method is listed here.
 */
class WrappedBehaviorsTest {
    /** Only of bodies and of masters of workers, which have no other behavior around them. */
    private static final Set<String> OF_OTHERS =
            Set.of("isBody", "prepare", "carries", "carriesNoMore", "crew");
    /** The outermost behaviors alone decide about these, and need something in the actor. */
    private static final Set<String> OUTERMOST = Set.of("contextOf", "mayKeep", "equip");
    /** Passes the code to {@code bound}, which is overridden. */
    private static final Set<String> BY_BOUND = Set.of("call");
    /** Called by a stand-in, with which such an actor is refused. */
    private static final Set<String> OF_STAND_INS = Set.of("ready", "abandon");
    /** Not of behaviors that handle one message with a handler that others have made. */
    private static final Set<String> OF_MAKERS =
            Set.of("begin", "dispose", "become", "hasState", "bound", "handlerClass");

    private static final Map<String, Set<Set<String>>> NOT_PASSED_ON = Map.of(
            "SurroundingBehavior", Set.of(),
            // What a factory makes handles messages and nothing else.
            "FactoryBehavior", Set.of(OF_OTHERS, OUTERMOST, BY_BOUND, Set.of("hasState", "bound")),
            "Replacement", Set.of(OF_OTHERS, OUTERMOST, BY_BOUND, OF_STAND_INS, OF_MAKERS),
            // Workers have neither state nor context, and code for them goes to them directly.
            "WorkersBehavior", Set.of(Set.of("isBody", "prepare"), OUTERMOST, BY_BOUND, OF_STAND_INS,
                    OF_MAKERS),
            // One task of workers.
            "Tasked", Set.of(OF_OTHERS, OUTERMOST, BY_BOUND, OF_STAND_INS, OF_MAKERS),
            "GivingBack", Set.of(OF_OTHERS, OUTERMOST, BY_BOUND, OF_STAND_INS, OF_MAKERS));

    @Test
    void aBehaviorAroundAnotherPassesEachCallOn() {
        var hidden = new TreeMap<String, Set<String>>();
        for (var type : MainCode.classes()) {
            if (type.isAssignableTo(Behavior.class) && isAroundAnother(type)) {
                hidden.put(type.getSimpleName(), notOverridden(type));
            }
        }
        assertThat(hidden.keySet()).isEqualTo(new TreeSet<>(NOT_PASSED_ON.keySet()));
        hidden.forEach((type, methods) -> assertThat(methods).as(type).isSubsetOf(NOT_PASSED_ON.get(type)
                .stream().flatMap(Set::stream).collect(Collectors.toSet())));
    }

    private static boolean isAroundAnother(JavaClass type) {
        return type.getFields().stream().anyMatch(field -> field.getRawType().isAssignableTo(Behavior.class)
                && !field.getOwner().isAssignableFrom(field.getRawType().getName()));
    }

    private static Set<String> notOverridden(JavaClass type) {
        var own = type.getMethods().stream().map(JavaMethod::getName).collect(Collectors.toSet());
        return type.getAllMethods().stream().filter(method -> method.getOwner().isEquivalentTo(Behavior.class)
                && !method.getModifiers().contains(JavaModifier.ABSTRACT)
                && !method.getModifiers().contains(JavaModifier.STATIC))
                .map(JavaMethod::getName).filter(name -> !own.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
