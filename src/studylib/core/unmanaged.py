"""Arrays without counted references, for kernels that slice a lot."""

from numba.core import cgutils, types
from numba.extending import intrinsic

#: What numba's arrays consist of, where it is known that the first two only count references.
_MEMBERS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")


def has_known_layout(model):
    """True if numba's data model of an array is the one that ``without_refcount`` was written for."""
    return tuple(getattr(model, "_fields", ())) == _MEMBERS


@intrinsic
def without_refcount(typing_context, arrays):
    """An array, or tuple of arrays, without counted references; for a kernel's own arguments only.

    Numba counts, atomically, a reference for every slice, every member read from a tuple and every argument
    handed on.  In a kernel that looks at a few samples at a time this took up to half of the time.  What a
    kernel is called with outlives the call, so it may be borrowed; an array made inside of it must not be.
    Where a version of numba lays its arrays out in another way, references are counted as usual.
    """

    def strip(context, builder, kind, value):
        if isinstance(kind, types.Array):
            if not has_known_layout(context.data_model_manager[kind]):
                context.nrt.incref(builder, kind, value)  # the caller will count down
                return value
            array = context.make_array(kind)(context, builder, value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            array.parent = cgutils.get_null_value(array.parent.type)
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            for i, member in enumerate(kind.types):
                part = strip(context, builder, member, builder.extract_value(value, i))
                value = builder.insert_value(value, part, i)
        return value

    def codegen(context, builder, signature, args):
        return strip(context, builder, signature.args[0], args[0])

    return arrays(arrays), codegen
