package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Handle;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import io.fibry.Actor;
import io.fibry.internal.engine.EngineProbe;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The engine links no call site on a stack that may be short, since the call site could then fail for ever: see
 * {@code StackReserve}. The test does not look at constructors, static initializers and the bodies of lambdas. The
 * listed methods run on threads of the engine, or make or close something.
 */
class LinkageTest {
    private static final List<String> ROOMS =
            List.of("memory", "clock", "report", "run", "context", "limit", "actor", "signal", "layer",
                    "reply",
                    "details", "cycles", "deadline", "places", "timer", "aside", "handle", "receive",
                    "mailbox",
                    "supervise", "abandon", "scope", "keyed");
    private static final Set<String> ALLOWED = Set.of("Interleave.replaceable", "JdkCheck.warnOnce",
            "LaneNamer.rehearse", "Lanes.rehearse", "Strategies.lanes", "BlockCarrier.ofScopedValue",
            "Closing.stopSources",
            "Closing.stopRest", "Closing.byPhase", "Closing.stopAll", "Closing.endsWithCaller",
            "Resources.add", "Resources.make", "RestDetector.awaitRest", "RestDetector.isSame",
            "RestDetector.isAtRest", "RestDetector.text", "Scope.closeOnExit", "Scope.stopIntake",
            "Scope.isStartingJobs", "ScopeDrain.pass", "ScopeDrain.collect",
            "SendToName.loseKept",
            "Keyed.endWith");

    @Test
    void noCallSiteIsLinkedOnTheStackOfAUser() throws Exception {
        var linking = new TreeSet<String>();
        for (var room : ROOMS) {
            try (var files = Files.walk(classes().resolve(room))) {
                for (var file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                    addLinkingMethods(file, linking);
                }
            }
        }
        assertThat(linking)
                .as("methods with a lambda, a method reference, a switch on classes or a concatenation by "
                        + "invokedynamic: use a class with a name, a constant, or instanceof")
                .isEqualTo(new TreeSet<>(ALLOWED));
    }

    /** A switch on an enum has its table in a class of its own, which is initialised when the switch is reached. */
    @Test
    void tablesOfSwitchesAreLoadedEarly() throws Exception {
        var tables = new TreeSet<String>();
        for (var room : ROOMS) {
            try (var files = Files.walk(classes().resolve(room))) {
                for (var file : files.filter(each -> each.toString().endsWith("$1.class")).toList()) {
                    addTable(room, file, tables);
                }
            }
        }
        assertThat(EngineProbe.switchTables()).as("Assembly.SWITCH_TABLES").containsExactlyElementsOf(tables);
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(Actor.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .resolve("io/fibry/internal");
    }

    private static void addTable(String room, Path file, Set<String> found) throws IOException {
        var reader = new ClassReader(Files.readAllBytes(file));
        if ((reader.getAccess() & Opcodes.ACC_SYNTHETIC) != 0) {
            found.add(room + "." + file.getFileName().toString().replace(".class", ""));
        }
    }

    private static void addLinkingMethods(Path file, Set<String> found) throws IOException {
        var name = file.getFileName().toString().replace(".class", "");
        new ClassReader(Files.readAllBytes(file)).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String type, String signature,
                    String[] thrown) {
                var isSkipped = method.startsWith("<") || method.startsWith("lambda$");
                return isSkipped ? null : new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitInvokeDynamicInsn(String called, String calledType, Handle bootstrap,
                            Object... rest) {
                        // toString, equals and hashCode of records
                        if (!bootstrap.getOwner().equals("java/lang/runtime/ObjectMethods")) {
                            found.add(name + "." + method);
                        }
                    }
                };
            }
        }, ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
    }
}
