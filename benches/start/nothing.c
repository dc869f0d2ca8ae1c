/* An adapter that has no driver: it hands over its tables, and its urAdapterGet finds nothing. */
#include <concord/ur_ddi.h>
#include <string.h>

static ur_result_t UR_APICALL get(uint32_t entries, ur_adapter_handle_t *adapters, uint32_t *count) {
    (void)entries, (void)adapters;
    if (count) *count = 0;
    return UR_RESULT_SUCCESS;
}

/* All other entries are null. */
#define TABLE(name, type)                                                                          \
    UR_APIEXPORT ur_result_t UR_APICALL urGet##name##ProcAddrTable(                                \
        ur_api_version_t version, ur_##type##_dditable_t *table) {                                 \
        (void)version;                                                                             \
        memset(table, 0, sizeof *table);                                                           \
        return UR_RESULT_SUCCESS;                                                                  \
    }

UR_APIEXPORT ur_result_t UR_APICALL urGetAdapterProcAddrTable(ur_api_version_t version, ur_adapter_dditable_t *table) {
    (void)version;
    memset(table, 0, sizeof *table);
    table->pfnGet = get;
    return UR_RESULT_SUCCESS;
}

TABLE(Platform, platform)
TABLE(Context, context)
TABLE(Event, event)
TABLE(EventExp, event_exp)
TABLE(Program, program)
TABLE(ProgramExp, program_exp)
TABLE(Kernel, kernel)
TABLE(Queue, queue)
TABLE(QueueExp, queue_exp)
TABLE(Sampler, sampler)
TABLE(Mem, mem)
TABLE(PhysicalMem, physical_mem)
TABLE(Enqueue, enqueue)
TABLE(EnqueueExp, enqueue_exp)
TABLE(USM, usm)
TABLE(USMExp, usm_exp)
TABLE(BindlessImagesExp, bindless_images_exp)
TABLE(CommandBufferExp, command_buffer_exp)
TABLE(GraphExp, graph_exp)
TABLE(IPCExp, ipc_exp)
TABLE(MemoryExportExp, memory_export_exp)
TABLE(UsmP2PExp, usm_p2p_exp)
TABLE(VirtualMem, virtual_mem)
TABLE(Device, device)
TABLE(DeviceExp, device_exp)
